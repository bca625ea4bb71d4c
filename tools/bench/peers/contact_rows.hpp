/// Each peer's scenes of contact, in a file of its own.
#pragma once

namespace kagami::bench {

/// "khr1/stand" and the others of `kagami bench contact`.
void add_contact_rows();

}  // namespace kagami::bench
