/// Walks the tags of an XML text in document order, without building anything.
///
/// urdfdom reads the values of a URDF; this scanner answers what it cannot: is the text well formed
/// and where not, which tags are not read, in what order the joints stand, and how links hang
/// together, before any recursive code reads the text.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace kagami::models {

/// One opening tag.
struct XmlTag {
  std::string name;
  std::size_t parent = 0;  ///< index of the enclosing tag; the root's is its own index
  int line = 0;            ///< from 1
  std::map<std::string, std::string> attributes;  ///< raw text, entities not decoded
};

/// All opening tags in document order; the first is the root. Throws ModelError "file: line n: ..."
/// for text that is not well formed, nests deeper than 32, has more than 100 000 tags, a DOCTYPE, a
/// CDATA section or control characters.
std::vector<XmlTag> scan_xml(std::string_view text, const std::string& file);

}  // namespace kagami::models
