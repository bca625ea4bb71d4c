// JSON schemas of the viewers' channels. Names, types and required fields as in `@foxglove/schemas`
// 2.1.0, which test/official compares; the descriptions are ours.
#include "runtime/record/viewer_json.hpp"

namespace kagami::runtime {

// clang-format off
const ViewerSchema kJointStatesSchema{"foxglove.JointStates", R"({
 "title":"foxglove.JointStates",
 "type":"object",
 "properties":{
  "timestamp":{
   "type":"object",
   "title":"time",
   "properties":{
    "sec":{"type":"integer","minimum":0},
    "nsec":{"type":"integer","minimum":0,"maximum":999999999}
   }
  },
  "joints":{
   "type":"array",
   "items":{
    "title":"foxglove.JointState",
    "type":"object",
    "properties":{
     "name":{"type":"string"},
     "position":{"type":"number","description":"rad"},
     "velocity":{"type":"number","description":"rad/s"},
     "acceleration":{"type":"number","description":"rad/s^2"},
     "effort":{"type":"number","description":"N m"}
    },
    "required":["name"]
   }
  }
 },
 "required":["timestamp","joints"]
})"};

const ViewerSchema kLogSchema{"foxglove.Log", R"({
 "title":"foxglove.Log",
 "type":"object",
 "properties":{
  "timestamp":{
   "type":"object",
   "title":"time",
   "properties":{
    "sec":{"type":"integer","minimum":0},
    "nsec":{"type":"integer","minimum":0,"maximum":999999999}
   }
  },
  "level":{
   "title":"foxglove.LogLevel",
   "oneOf":[
    {"title":"UNKNOWN","const":0},
    {"title":"DEBUG","const":1},
    {"title":"INFO","const":2},
    {"title":"WARNING","const":3},
    {"title":"ERROR","const":4},
    {"title":"FATAL","const":5}
   ]
  },
  "message":{"type":"string"},
  "name":{"type":"string"},
  "file":{"type":"string"},
  "line":{"type":"integer","minimum":0}
 },
 "required":["timestamp","level","message","name","file","line"]
})"};

const ViewerSchema kFrameTransformsSchema{"foxglove.FrameTransforms", R"({
 "title":"foxglove.FrameTransforms",
 "type":"object",
 "properties":{
  "transforms":{
   "type":"array",
   "items":{
    "title":"foxglove.FrameTransform",
    "type":"object",
    "properties":{
     "timestamp":{
      "type":"object",
      "title":"time",
      "properties":{
       "sec":{"type":"integer","minimum":0},
       "nsec":{"type":"integer","minimum":0,"maximum":999999999}
      }
     },
     "parent_frame_id":{"type":"string"},
     "child_frame_id":{"type":"string"},
     "translation":{
      "title":"foxglove.Vector3",
      "type":"object",
      "description":"m",
      "properties":{"x":{"type":"number"},"y":{"type":"number"},"z":{"type":"number"}},
      "required":["x","y","z"]
     },
     "rotation":{
      "title":"foxglove.Quaternion",
      "type":"object",
      "description":"unit quaternion",
      "properties":{
       "x":{"type":"number"},
       "y":{"type":"number"},
       "z":{"type":"number"},
       "w":{"type":"number"}
      },
      "required":["x","y","z","w"]
     }
    },
    "required":["timestamp","parent_frame_id","child_frame_id","translation","rotation"]
   }
  }
 },
 "required":["transforms"]
})"};

const ViewerSchema kResidualSchema{"kagami.Residual", R"({
 "title":"kagami.Residual",
 "type":"object",
 "description":"simulated minus measured angle of each joint",
 "properties":{
  "timestamp":{
   "type":"object",
   "title":"time",
   "properties":{
    "sec":{"type":"integer","minimum":0},
    "nsec":{"type":"integer","minimum":0,"maximum":999999999}
   }
  },
  "joints":{
   "type":"array",
   "items":{
    "title":"kagami.JointResidual",
    "type":"object",
    "properties":{
     "name":{"type":"string"},
     "residual":{"type":"number","description":"rad, simulated at the measurement's own time"},
     "residual_naive":{"type":"number","description":"rad, simulated at the time of arrival"}
    },
    "required":["name"]
   }
  }
 },
 "required":["timestamp","joints"]
})"};

// clang-format on

}  // namespace kagami::runtime
