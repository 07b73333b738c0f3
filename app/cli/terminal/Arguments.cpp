// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/terminal/Arguments.h"

#include <algorithm>

namespace headlight::cli {
namespace {

constexpr const char* kMark = "--";

/// The command that `texts` name: "sequence train" is one within another.
const CLI::App& commandNamed(const CLI::App& app, const std::vector<std::string>& texts) {
  const CLI::App* chosen = &app;
  for (std::size_t i = 1; i < texts.size(); ++i) {
    const auto below = chosen->get_subcommands(
        [&](const CLI::App* command) { return command->get_name() == texts[i]; });
    if (below.empty()) break;
    chosen = below.front();
  }
  return *chosen;
}

/// Whether `texts` end within the values of an option that takes as many as there are.
bool endInManyValues(const CLI::App& command, const std::vector<std::string>& texts) {
  const auto last = std::find_if(texts.rbegin(), texts.rend(), [](const std::string& text) {
    return text.size() > 1 && text[0] == '-';
  });
  if (last == texts.rend() || last->find('=') != std::string::npos) return false;
  const CLI::Option* option = command.get_option_no_throw(*last);
  return option != nullptr && option->get_allow_extra_args() && option->get_expected_max() > 1;
}

/// A file whose name begins with a dash, or is "++", which ends a command.
std::string asFile(const std::string& text) {
  const bool special = (text.size() > 1 && text[0] == '-') || text == "++";
  return special ? "./" + text : text;
}

}  // namespace

Arguments::Arguments(const CLI::App& app, int count, char** arguments)
    : m_texts(arguments, arguments + count) {
  const auto mark = std::find(m_texts.begin(), m_texts.end(), kMark);
  if (mark != m_texts.end()) {
    const std::vector<std::string> behind(mark + 1, m_texts.end());
    m_texts.erase(mark, m_texts.end());
    if (endInManyValues(commandNamed(app, m_texts), m_texts)) m_texts.emplace_back(kMark);
    for (const std::string& text : behind)
      m_texts.push_back(asFile(text));
  }
  for (std::string& text : m_texts)
    m_values.push_back(text.data());
  m_values.push_back(nullptr);
}

}  // namespace headlight::cli
