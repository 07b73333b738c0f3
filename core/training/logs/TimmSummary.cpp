// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/logs/TimmSummary.h"

#include <utility>

#include "core/base/Text.h"
#include "core/base/Translation.h"

namespace headlight {
namespace {

constexpr const char* kTimmColumns = "epoch,train_loss,eval_loss,eval_top1,eval_top5,lr";

}  // namespace

Result<void> TimmSummary::append(const EpochPoint& point, double learningRate) {
  if (!std::exchange(m_headed, true) && m_log.head().empty() && m_log.unwritten().empty())
    m_log.owe(kTimmColumns + std::string("\n"));
  std::string row = std::to_string(point.epoch - 1);
  for (const double value :
       {point.trainLoss, point.validationLoss, 100 * point.top1, 100 * point.top5, learningRate})
    row.append(",").append(numberText(value));
  return m_log.append(row);
}

void TimmSummary::keepEpochs(std::int64_t epochs) {
  bool head = true;
  valueOrThrow(m_log.keepWhile([&](const std::string& row) {
    if (!std::exchange(head, false)) {
      const auto epoch = firstCell(row);
      return epoch && *epoch < epochs;
    }
    if (row == kTimmColumns) return true;
    throw Failure({ErrorCode::InvalidFile,
                   tr("does not belong to this run: its first line is not \"") +
                       std::string(kTimmColumns) + tr("\"; move it away"),
                   m_folder.pathOf(m_log.name()).string()});
  }));
  m_headed = false;
}

}  // namespace headlight
