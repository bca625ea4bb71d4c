#include "tools/dashboard/request_fields.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <nlohmann/json.hpp>

namespace kagami::tools {

using nlohmann::json;

json refusal(const std::string& why) {
  return {{"ok", false}, {"error", why}};
}

std::string text_of(const json& request, const char* key) {
  const auto found = request.find(key);
  if (found == request.end() || !found->is_string()) {
    throw BadRequest(std::string("expected \"") + key + "\" as a text");
  }
  return found->get<std::string>();
}

std::string text_or(const json& request, const char* key, const std::string& otherwise) {
  const auto found = request.find(key);
  return found == request.end() || found->is_null() ? otherwise : text_of(request, key);
}

double number_of(const json& request, const char* key) {
  const auto found = request.find(key);
  if (found == request.end() || !found->is_number() || !std::isfinite(found->get<double>())) {
    throw BadRequest(std::string("expected \"") + key + "\" as a number");
  }
  return found->get<double>();
}

double number_or(const json& request, const char* key, double otherwise) {
  const auto found = request.find(key);
  return found == request.end() || found->is_null() ? otherwise : number_of(request, key);
}

std::string file_name_of(const json& request, const char* key) {
  constexpr std::size_t kMost = 96;
  std::string name = text_of(request, key);
  const bool fits = !name.empty() && name.size() <= kMost && name[0] != '.' &&
                    std::all_of(name.begin(), name.end(), [](unsigned char c) {
                      return c < 0x80 && (std::isalnum(c) != 0 || c == '_' || c == '-' || c == '.');
                    });
  if (!fits) {
    throw BadRequest(std::string("expected \"") + key +
                     "\" of 1..96 letters, digits, '_', '-' or '.', not beginning with '.'");
  }
  return name;
}

ServiceAction guarded(ServiceAction action) {
  return [action = std::move(action)](json request, const Done& done) {
    try {
      action(std::move(request), done);
    } catch (const Error& error) {
      done(refusal(error.what()));
    } catch (const json::exception&) {
      done(refusal("the request does not match this service"));
    }
  };
}

void work_on(Worker& worker, const Done& done, std::function<json()> job) {
  const auto and_answer = [done, job = std::move(job)] {
    try {
      json answer = job();
      if (!answer.is_null()) done(std::move(answer));  // else the job has handed `done` on
    } catch (const std::exception& error) {
      done(refusal(error.what()));
    }
  };
  if (!worker.post(and_answer)) done(refusal("too many computations are running already"));
}

}  // namespace kagami::tools
