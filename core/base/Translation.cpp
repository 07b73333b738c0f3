// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/Translation.h"

#include <libintl.h>

#include <clocale>
#include <cstdlib>
#include <system_error>

#include "core/base/ProgramFolder.h"

namespace headlight {
namespace {

constexpr const char* kDomain = "headlight";

}  // namespace

const char* tr(const char* text) {
  return *text ? ::dgettext(kDomain, text) : text;  // "" stands for a catalog's own description
}

std::string translated(const std::string& text) {
  return tr(text.c_str());
}

void loadTranslations(const std::filesystem::path& folder) {
  std::setlocale(LC_MESSAGES, "");
  std::setlocale(LC_NUMERIC, "C");
  ::bindtextdomain(kDomain, folder.c_str());
  ::bind_textdomain_codeset(kDomain, "UTF-8");
}

std::filesystem::path translationFolder() {
  if (const char* own = std::getenv("HEADLIGHT_LOCALE"); own && *own) return own;
  std::error_code unknown;
  auto beside = std::filesystem::canonical(programFolder() / HEADLIGHT_LOCALE_BESIDE, unknown);
  return unknown ? std::filesystem::path(HEADLIGHT_LOCALE_FOLDER) : beside;
}

}  // namespace headlight
