// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/logs/TimmSummary.h"

#include <utility>

#include "core/base/Text.h"
#include "core/base/Translation.h"

namespace headlight {
namespace {

std::string timmColumnsOf(Task task) {
  std::string columns = "epoch,train_loss,eval_loss";
  for (const ScoreName& score : scoreNames(task))
    columns.append(",eval_").append(score.key);
  return columns + ",lr";
}

}  // namespace

TimmSummary::TimmSummary(const OpenFolder& folder, Task task)
    : m_folder(folder), m_columns(timmColumnsOf(task)), m_log(folder, "summary.csv") {}

Result<void> TimmSummary::append(const EpochPoint& point, double learningRate) {
  if (!std::exchange(m_headed, true) && m_log.head().empty() && m_log.unwritten().empty())
    m_log.owe(m_columns + "\n");
  std::string row = std::to_string(point.epoch - 1);
  for (const double value : {point.trainLoss, point.validationLoss})
    row.append(",").append(numberText(value));
  for (const NamedScore& score : point.scores())
    row.append(",").append(numberText(100 * score.value));
  return m_log.append(row + "," + numberText(learningRate));
}

void TimmSummary::keepEpochs(std::int64_t epochs) {
  bool head = true;
  valueOrThrow(m_log.keepWhile([&](const std::string& row) {
    if (!std::exchange(head, false)) {
      const auto epoch = firstCell(row);
      return epoch && *epoch < epochs;
    }
    if (row == m_columns) return true;
    throw Failure({ErrorCode::InvalidFile,
                   tr("does not belong to this run: its first line is not \"") + m_columns +
                       tr("\"; move it away"),
                   m_folder.pathOf(m_log.name()).string()});
  }));
  m_headed = false;
}

}  // namespace headlight
