folder(models/base models/robot)
folder(models/robot models/base)
