/// The names of CLI11 that interfaces need.
#pragma once

namespace CLI {  // NOLINT(readability-identifier-naming): its name

class App;
class Option;

}  // namespace CLI
