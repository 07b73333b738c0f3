// SPDX-License-Identifier: GPL-3.0-or-later

// ModelFetch.h: what the environment says, in the words of huggingface_hub.

#include <cstdlib>

#include "core/base/files/Files.h"
#include "core/workbench/hub/ModelFetch.h"

namespace headlight {
namespace {

constexpr std::uintmax_t kMaxTokenBytes = 4096;

std::string hubVariable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

std::filesystem::path personsHome() {
  const std::string home = hubVariable("HOME");
  return home.empty() ? "." : home;
}

/// "~" at the beginning is the home folder, as Python expands it.
std::filesystem::path homeExpanded(const std::string& path) {
  if (path == "~") return personsHome();
  return path.starts_with("~/") ? personsHome() / path.substr(2) : std::filesystem::path(path);
}

std::filesystem::path hubHome() {
  if (const auto home = hubVariable("HF_HOME"); !home.empty()) return homeExpanded(home);
  const std::string cache = hubVariable("XDG_CACHE_HOME");
  return (cache.empty() ? personsHome() / ".cache" : homeExpanded(cache)) / "huggingface";
}

std::filesystem::path hubCache() {
  for (const char* name : {"HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE"})
    if (const auto cache = hubVariable(name); !cache.empty()) return homeExpanded(cache);
  return hubHome() / "hub";
}

/// Without the ends of lines around it, which a header must not have.
std::string withoutEnds(const std::string& text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

std::string hubToken() {
  for (const char* name : {"HF_TOKEN", "HUGGING_FACE_HUB_TOKEN"})
    if (auto token = withoutEnds(hubVariable(name)); !token.empty()) return token;
  const auto named = hubVariable("HF_TOKEN_PATH");
  const auto file =
      readFile(named.empty() ? hubHome() / "token" : homeExpanded(named), kMaxTokenBytes);
  return file ? withoutEnds(*file) : "";
}

/// As huggingface_hub reads a switch.
bool isOn(const char* name) {
  std::string value = hubVariable(name);
  for (char& letter : value)
    letter = static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
  return value == "1" || value == "ON" || value == "YES" || value == "TRUE";
}

}  // namespace

FetchOptions fetchOptionsOfEnvironment() {
  FetchOptions options;
  if (auto endpoint = withoutEnds(hubVariable("HF_ENDPOINT")); !endpoint.empty()) {
    while (endpoint.ends_with('/'))
      endpoint.pop_back();
    options.endpoint = endpoint;
  }
  options.token = hubToken();
  options.cache = hubCache();
  options.offline = isOn("HF_HUB_OFFLINE") || isOn("TRANSFORMERS_OFFLINE");
  return options;
}

}  // namespace headlight
