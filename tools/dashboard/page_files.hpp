/// The dashboard's page as the build embedded it: files ready to be sent, raw and compressed.
#pragma once

#include <span>
#include <string_view>

namespace kagami::tools {

/// One file of the page. All views last as long as the program.
struct PageFile {
  std::string_view
      path;  ///< as requested: "/" is the page itself, everything else below "/assets/"
  std::string_view type;               ///< value of Content-Type
  std::string_view etag;               ///< value of ETag, quotes included; a hash of `raw`
  std::span<const unsigned char> raw;  ///< bytes as they are
  std::span<const unsigned char>
      gzip;  ///< the same bytes for `Content-Encoding: gzip`; never empty
};

/// The files, sorted by path; empty where the page was left out of the build (KAGAMI_PAGE, or no
/// node or npm). Names below "/assets/" carry a hash of their content, so a browser may keep them
/// for ever. Any thread.
[[nodiscard]] std::span<const PageFile> page_files() noexcept;

}  // namespace kagami::tools
