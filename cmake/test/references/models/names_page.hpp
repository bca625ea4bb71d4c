// The page docs/references.md exists, docs/gone.md does not; nor does
// https://example.org/other.md need to.
#pragma once
inline constexpr const char* kFile = "not_a_comment.md";
