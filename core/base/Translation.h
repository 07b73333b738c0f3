// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The language of texts that core and the command line write. The source is English; catalogs of
// other languages are GNU gettext's: FOLDER/LANGUAGE/LC_MESSAGES/headlight.mo, made from what
// packaging/translations.sh extracts. The window's own texts are Qt's (QObject::tr).

#include <filesystem>
#include <string>

namespace headlight {

/// `text` in the language of the environment (LANGUAGE, LC_ALL, LC_MESSAGES, LANG) if a catalog has
/// it, else as it is. The result lives as long as the program; any thread may ask.
[[gnu::format_arg(1)]] const char* tr(const char* text);
/// The same for a text that a table holds (an option's help).
std::string translated(const std::string& text);

/// Chooses the language of the environment and where catalogs are. Numbers keep the form that they
/// have in the C locale: files and JSON depend on it. Once, before the first text and after a
/// QApplication, which takes the environment's locale over.
void loadTranslations(const std::filesystem::path& folder);

/// Where an installed program has its catalogs, also one that was moved; the variable HEADLIGHT_LOCALE names another folder.
std::filesystem::path translationFolder();

}  // namespace headlight
