# Folders, lowest first: folder(NAME may include files of ...). A folder lists folders above it alone, so no cycle is
# possible. An entry may also name the beginning of file names (runtime/record/cdr).
folder(models/base)
folder(models/spatial models/base)
folder(models/robot models/base models/spatial)
folder(models/dynamics/kernel models/base models/robot models/spatial)
folder(models/dynamics models/base models/dynamics/kernel models/robot models/spatial)
folder(models/hybrid models/base models/dynamics models/robot models/spatial)
folder(models/forward models/base models/dynamics models/hybrid models/robot)
folder(models/closed_chains models/base models/dynamics models/forward models/robot models/spatial)
folder(models/balance models/base models/dynamics)
folder(models/contact/shape models/base models/robot models/spatial)
folder(models/contact/scene models/base models/contact/shape models/forward models/robot models/spatial)
folder(models/contact/detect models/base models/contact/scene models/contact/shape models/spatial)
folder(models/contact/method models/base models/contact/scene models/contact/shape models/spatial)
folder(models/contact/response models/base models/dynamics models/dynamics/kernel models/forward models/robot
  models/spatial)
folder(models/contact/point models/base models/contact/method models/contact/response)
folder(models/contact/volume models/base models/contact/detect models/contact/method models/contact/response
  models/contact/scene)
folder(models/contact/world models/base models/contact/detect models/contact/method models/contact/point
  models/contact/response models/contact/scene models/contact/volume models/dynamics models/forward models/spatial)
folder(models/actuator models/base models/contact/method models/contact/scene models/contact/world models/dynamics
  models/forward models/robot)

folder(motions/file models/base)
folder(motions/play models/base motions/file)
folder(motions/edit models/base motions/file motions/play)
folder(motions/planner models/balance models/base models/dynamics models/robot models/spatial)

folder(drivers/port models/base)
folder(drivers/link drivers/port models/base)
folder(drivers/rcb1 drivers/link drivers/port models/base)
folder(drivers/virtual drivers/link drivers/port drivers/rcb1 models/base models/robot)

folder(control/core models/base models/robot models/spatial)
folder(control/safety models/base)
folder(control/pid control/core models/base models/dynamics models/robot)
folder(control/balance control/core models/balance models/base models/dynamics models/closed_chains models/robot models/spatial)
folder(control/virtual control/core models/base models/dynamics models/closed_chains models/robot models/spatial)
folder(control/factory control/balance control/core control/pid control/virtual models/base)

folder(runtime/record models/base)
folder(runtime/record/bench runtime/record)
folder(runtime/clock drivers/port)
folder(runtime/channels control/core drivers/link models/base)
folder(runtime/cycle control/core control/factory control/safety drivers/link drivers/rcb1 models/actuator models/base
  models/forward models/closed_chains models/robot motions/file motions/play runtime/channels runtime/record/cdr)
folder(runtime/threads drivers/link drivers/port models/base models/robot models/spatial runtime/channels runtime/clock
  runtime/cycle runtime/record)
folder(runtime/app control/core control/factory control/pid control/safety drivers/link drivers/port drivers/rcb1
  drivers/virtual models/base models/forward models/robot models/spatial motions/file motions/play runtime/channels
  runtime/clock runtime/cycle runtime/record runtime/threads)

folder(tools/cli models/base runtime/threads)
folder(tools/trace models/forward models/robot)
folder(tools/export control/core models/base runtime/channels)
folder(tools/analysis control/factory models/base motions/file motions/play runtime/app runtime/channels runtime/cycle runtime/record
  tools/cli tools/export)
folder(tools/python models/base tools/analysis tools/cli)
folder(tools/gap drivers/link drivers/rcb1 models/actuator models/base models/dynamics models/robot motions/play runtime/app
  runtime/channels runtime/cycle runtime/record tools/analysis tools/cli)
folder(tools/import drivers/link drivers/rcb1 models/base models/robot motions/file runtime/app runtime/channels runtime/clock
  runtime/cycle runtime/threads tools/analysis)
folder(tools/board drivers/link drivers/port drivers/rcb1 drivers/virtual models/base models/robot models/spatial
  motions/file runtime/app runtime/channels runtime/clock runtime/threads tools/cli tools/import)
folder(tools/tune control/core control/factory control/pid control/safety drivers/rcb1 drivers/virtual models/actuator
  models/base models/robot motions/file motions/play runtime/channels runtime/clock runtime/cycle tools/cli)
folder(tools/report drivers/link models/base runtime/app runtime/channels runtime/record runtime/threads tools/analysis tools/cli
  tools/gap tools/tune)
folder(tools/robot drivers/port drivers/rcb1 drivers/virtual models/base motions/file motions/play runtime/clock)
folder(tools/check drivers/rcb1 models/balance models/base models/dynamics models/robot motions/file motions/play runtime/app
  runtime/channels runtime/record runtime/threads tools/analysis tools/cli tools/report tools/robot)
folder(tools/identify models/base models/dynamics models/robot motions/file runtime/app tools/analysis tools/check tools/gap)
folder(tools/dashboard control/factory drivers/link drivers/rcb1 models/balance models/base models/dynamics models/robot
  runtime/app runtime/channels runtime/cycle runtime/record runtime/threads tools/analysis tools/check tools/gap tools/report
  tools/tune)
folder(tools/dashboard/page tools/dashboard tools/report)
folder(tools/scenario models/base models/contact/method models/contact/scene models/contact/shape models/contact/world
  models/dynamics models/robot models/spatial tools/cli tools/trace)
folder(tools/motion models/base models/robot motions/edit motions/file motions/play tools/cli)
folder(tools/sweep models/base tools/cli tools/scenario)
folder(tools/experiments control/balance control/pid control/virtual drivers/virtual models/balance models/base
  models/contact/scene models/contact/world models/dynamics models/forward models/closed_chains models/robot models/spatial
  motions/file motions/planner motions/play tools/cli tools/scenario tools/trace)
folder(tools/bench control/factory models/base models/dynamics models/forward models/hybrid models/closed_chains models/robot
  runtime/app runtime/channels runtime/cycle tools/analysis tools/dashboard tools/dashboard/test)
folder(tools/bench/contact models/contact/method models/contact/world models/dynamics tools/bench)
folder(tools/bench/peers tools/bench tools/bench/contact)
folder(tools/bench/report tools/cli)
folder(tools/generator models/base models/hybrid models/robot)
folder(tools/commands control/factory tools/board drivers/port drivers/rcb1 drivers/virtual models/base models/contact/method models/dynamics
  models/forward models/hybrid models/closed_chains models/robot motions/file runtime/app runtime/clock runtime/record
  runtime/threads tools/analysis tools/bench/report tools/cli tools/dashboard tools/gap tools/identify tools/import
  tools/experiments tools/generator tools/report tools/scenario tools/sweep tools/trace tools/tune tools/motion tools/check tools/robot)
folder(tools/programs tools/cli tools/commands)
