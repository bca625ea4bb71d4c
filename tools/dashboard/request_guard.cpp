#include "tools/dashboard/request_guard.hpp"

#include <arpa/inet.h>
#include <sys/random.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "models/base/errors.hpp"

namespace kagami::tools {
namespace {

bool same_name(std::string_view a, std::string_view b) noexcept {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) {
    return std::tolower(static_cast<unsigned char>(x)) ==
           std::tolower(static_cast<unsigned char>(y));
  });
}

std::string in_brackets(const std::string& address) {
  const bool is_v6 = address.find(':') != std::string::npos && address.front() != '[';
  return is_v6 ? "[" + address + "]" : address;
}

// an IPv4 address, or an IPv6 one in brackets
bool is_in_digits(std::string_view host) {
  std::string address(host);
  in6_addr parsed{};
  if (address.size() > 2 && address.front() == '[' && address.back() == ']') {
    return inet_pton(AF_INET6, address.substr(1, address.size() - 2).c_str(), &parsed) == 1;
  }
  return inet_pton(AF_INET, address.c_str(), &parsed) == 1;
}

}  // namespace

RequestGuard::RequestGuard(GuardSettings settings) : settings_(std::move(settings)) {
  if (settings_.token.empty()) throw ConfigError("dashboard: the token is empty, expected one");
}

bool RequestGuard::accepts_host(std::string_view host) const {
  const std::string port = ":" + std::to_string(settings_.port);
  const bool is_everywhere = settings_.address == "0.0.0.0" || settings_.address == "::";
  if (is_everywhere && host.size() > port.size() &&
      host.substr(host.size() - port.size()) == port &&
      is_in_digits(host.substr(0, host.size() - port.size()))) {
    return true;
  }
  const std::array<std::string, 4> names{in_brackets(settings_.address), "127.0.0.1", "localhost",
                                         "[::1]"};
  return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
    return same_name(host, name + port) || (settings_.port == 80 && same_name(host, name));
  });
}

bool RequestGuard::accepts_origin(std::string_view origin) const {
  constexpr std::string_view kScheme = "http://";
  const auto& allowed = settings_.allowed_origins;
  if (std::find(allowed.begin(), allowed.end(), origin) != allowed.end()) return true;
  return origin.substr(0, kScheme.size()) == kScheme && accepts_host(origin.substr(kScheme.size()));
}

Access RequestGuard::check(const Request& request) const {
  if (!accepts_host(request.host)) return Access::kRefused;
  if (request.origin && !accepts_origin(*request.origin)) return Access::kRefused;
  const std::optional<std::string_view> token = query_value(request.target, "token");
  if (!token) {
    const bool may_look = request.is_public || is_usual_loopback(settings_.address);
    return may_look ? Access::kReader : Access::kRefused;
  }
  return same_secret(*token, settings_.token) ? Access::kWriter : Access::kRefused;
}

bool is_usual_loopback(std::string_view address) noexcept {
  return address == "127.0.0.1" || address == "::1" || address == "[::1]" ||
         same_name(address, "localhost");
}

std::string_view path_of(std::string_view target) noexcept {
  return target.substr(0, target.find('?'));
}

std::optional<std::string_view> query_value(std::string_view target,
                                            std::string_view key) noexcept {
  const std::size_t mark = target.find('?');
  if (mark == std::string_view::npos) return std::nullopt;
  std::string_view rest = target.substr(mark + 1);
  while (!rest.empty()) {
    const std::string_view part = rest.substr(0, rest.find('&'));
    rest.remove_prefix(std::min(part.size() + 1, rest.size()));
    const std::size_t equals = part.find('=');
    if (equals != std::string_view::npos && part.substr(0, equals) == key) {
      return part.substr(equals + 1);
    }
  }
  return std::nullopt;
}

bool same_secret(std::string_view given, std::string_view secret) noexcept {
  if (given.size() != secret.size()) return false;
  unsigned difference = 0;
  for (std::size_t k = 0; k < secret.size(); ++k) {
    difference |= static_cast<unsigned char>(given[k]) ^ static_cast<unsigned char>(secret[k]);
  }
  return difference == 0;
}

std::string new_token() {
  std::array<unsigned char, 16> bytes{};
  if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    throw PortError("dashboard: the kernel provides no random bytes for the token");
  }
  std::string token;
  for (const unsigned char byte : bytes) {
    token.push_back("0123456789abcdef"[byte >> 4]);
    token.push_back("0123456789abcdef"[byte & 15]);
  }
  return token;
}

}  // namespace kagami::tools
