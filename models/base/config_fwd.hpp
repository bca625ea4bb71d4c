/// The names of models/base/config.hpp, for headers that only pass a file on.
#pragma once

namespace kagami {

class ConfigDocument;
class ConfigNode;

}  // namespace kagami
