// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/options/TableFlags.h"

namespace headlight::cli {
namespace {

ParameterFlags::Override setterOf(const ParameterTable& table) {
  return [&table](Json& json, const std::string& name, const std::string& text) -> Result<void> {
    auto value = parameterFromText(*findParameter(table, name), text, "--" + name);
    if (!value) return value.error();
    json[name] = std::move(value).value();
    return {};
  };
}

}  // namespace

TableFlags::TableFlags(const ParameterTable& table, const std::string& title)
    : m_sections{{"", title, &table}}, m_flags(m_sections, setterOf(table)) {}

void TableFlags::read(void* target) const {
  Json json = Json::object();
  m_flags.apply(json);
  valueOrThrow(readParameters(*m_sections.front().table, json, target, "--"));
}

}  // namespace headlight::cli
