/// The headers that generated code includes, as texts: an owner's compiler needs no source tree.
#pragma once

namespace kagami::models::hybrid {

extern const char* const kGeneratedHeaderText;  ///< models/hybrid/generated.hpp
extern const char* const kLanesHeaderText;      ///< models/hybrid/lanes.hpp

}  // namespace kagami::models::hybrid
