/// What services read from a request, and how they refuse one.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "models/base/errors.hpp"
#include "tools/dashboard/worker.hpp"

namespace kagami::tools {

/// Answers of a service, from any thread, once.
using Done = std::function<void(nlohmann::json)>;
/// What a service does: on the server's thread, and not for long.
using ServiceAction = std::function<void(nlohmann::json request, Done done)>;

/// A request that lacks something; becomes a refusal.
class BadRequest : public Error {
 public:
  using Error::Error;
};

/// {"ok": false, "error": why}
nlohmann::json refusal(const std::string& why);

// Each throws BadRequest that names the key and what was expected; a missing or null key gives
// `otherwise`.
std::string text_of(const nlohmann::json& request, const char* key);
std::string text_or(const nlohmann::json& request, const char* key, const std::string& otherwise);
/// Finite.
double number_of(const nlohmann::json& request, const char* key);
double number_or(const nlohmann::json& request, const char* key, double otherwise);
/// A text that is the name of a file or folder and stays where that is looked for: 1..96 letters,
/// digits, '_', '-' or '.', not beginning with '.'.
std::string file_name_of(const nlohmann::json& request, const char* key);

/// What throws becomes a refusal.
ServiceAction guarded(ServiceAction action);
/// Runs the job on the worker; what it throws becomes a refusal, null means that it answers itself.
void work_on(Worker& worker, const Done& done, std::function<nlohmann::json()> job);

}  // namespace kagami::tools
