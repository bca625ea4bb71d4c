#include "drivers/port/clock.hpp"
