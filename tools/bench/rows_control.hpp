/// Rows of single updates of each controller on the 17 joints of the KHR-1.
#pragma once

namespace kagami::bench {

void add_control_rows();

}  // namespace kagami::bench
