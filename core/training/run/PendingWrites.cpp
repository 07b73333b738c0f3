// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/run/PendingWrites.h"

#include <utility>

#include "core/base/Text.h"
#include "core/base/Translation.h"

namespace headlight {

PendingWrites::PendingWrites(OpenFolder folder, std::vector<LineLog*> logs,
                             std::function<void(const std::string&)> warn)
    : m_folder(folder), m_logs(std::move(logs)), m_files(folder), m_warn(std::move(warn)) {}

void PendingWrites::noteLog(const Result<void>& written) {
  if (!written) m_logReason = written.error().text();
  if (!written && !m_logFails)
    m_warn("the metrics cannot be written: " + m_logReason +
           ". Training continues; missing lines are added when writing works again");
  m_logFails = !written;
}

void PendingWrites::write(const OwedFile& file) {
  const auto written = m_files.write(file);
  if (written) return;
  m_fileReason = written.error().text();
  m_warn("weights were not written: " + m_fileReason +
         ". Training continues; writing them is retried with every checkpoint");
}

void PendingWrites::settle() {
  for (LineLog* log : m_logs)
    noteLog(log->sync());
  if (const auto settled = m_files.settle(); !settled) m_fileReason = settled.error().text();
}

bool PendingWrites::any() const {
  return m_logFails || !m_files.files().empty() || !lines().empty();
}

Result<void> PendingWrites::requireNone(const std::string& other, const std::string& why) const {
  std::string missing, reason;
  const auto add = [&](const std::string& what) { addTo(missing, what); };
  for (const OwedFile& file : m_files.files())
    add(file.name);
  for (const auto& [name, text] : lines())
    add(name);
  if (!other.empty()) add(other);
  const bool kept = !missing.empty();
  if (!kept && m_logFails) add("metrics");
  for (const std::string& name : m_files.lost())
    add(name + " (lost)");
  for (const LineLog* log : m_logs)
    if (log->lost()) add("lines of " + log->name() + " (lost)");
  if (missing.empty()) return {};
  for (const std::string& cause : {m_fileReason, m_logReason, why})
    if (!cause.empty()) reason += (reason.empty() ? " (" : "; ") + cause;
  return Error{ErrorCode::Io,
               tr("the run finished training, but some of its files could not be written: ") +
                   missing + (reason.empty() ? "" : reason + ")") +
                   (kept ? tr("; last.safetensors contains the missing parts. Fix the cause and "
                              "resume the run")
                         : ""),
               m_folder.path().string()};
}

std::map<std::string, std::string> PendingWrites::lines() const {
  std::map<std::string, std::string> lines;
  for (const LineLog* log : m_logs)
    if (!log->unwritten().empty()) lines[log->name()] = log->unwritten();
  return lines;
}

void PendingWrites::takeOver(const std::vector<OwedFile>& files,
                             const std::map<std::string, std::string>& lines) {
  m_files.owe(files);
  for (LineLog* log : m_logs)
    if (const auto owed = lines.find(log->name()); owed != lines.end()) log->owe(owed->second);
}

}  // namespace headlight
