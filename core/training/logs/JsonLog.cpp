// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/logs/JsonLog.h"

#include <utility>

#include "core/config/RunId.h"

namespace headlight {

JsonLog::JsonLog(const OpenFolder& folder, const std::string& name, std::string run)
    : m_folder(folder), m_run(std::move(run)), m_log(folder, name) {}

Result<void> JsonLog::append(Json line) {
  if (!m_run.empty()) line[kRunKey] = m_run;
  return m_log.append(line.dump(-1, ' ', false, Json::error_handler_t::replace));
}

void JsonLog::keepWhile(const std::function<bool(const Json& line)>& keep) {
  valueOrThrow(m_log.keepWhile(
      [&](const std::string& line) { return keep(ownLine(m_folder, m_log.name(), line, m_run)); }));
}

}  // namespace headlight
