// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/runs/RunCells.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>

#include "ui/base/CoreText.h"
#include "ui/base/SanitizedText.h"
#include "ui/runs/RunsTableModel.h"

namespace headlight {
namespace {

double runNumber(const ListedRun& run, int column) {
  const RunMetrics& now = run.standing.numbers;
  switch (column) {
    case RunsTableModel::Epoch:
      return now.epochs > 0 ? static_cast<double>(now.epoch) : NAN;
    case RunsTableModel::Loss:
      return now.loss;
    case RunsTableModel::ValidationLoss:
      return now.validationLoss;
    case RunsTableModel::StartTop1:
      return 100 * now.startScore;
    case RunsTableModel::Top1:
      return 100 * now.score;
    case RunsTableModel::BestTop1:
      return 100 * now.bestScore;
    case RunsTableModel::Locality:
      return now.locality;
    default:
      return NAN;
  }
}

QString stateCellText(const ListedRun& run) {
  if (!run.looked) return QCoreApplication::translate("RunsWindow", "reading…");
  return coreText(followedStateName(run.standing.state)) +
         (run.standing.certain ? QString() : QStringLiteral("?"));
}

QString configTip(const ListedRun& run) {
  const QString summary = coreText(configSummary(run));
  const QString name = QString::fromStdString(run.standing.name);
  return name.isEmpty() ? summary : name + QStringLiteral(": ") + summary;
}

QString numberCellText(const ListedRun& run, int column) {
  const double value = runNumber(run, column);
  if (!std::isfinite(value)) return {};
  const RunMetrics& now = run.standing.numbers;
  if (column == RunsTableModel::Epoch)
    return QStringLiteral("%1/%2").arg(now.epoch).arg(now.epochs);
  const bool percent = column == RunsTableModel::StartTop1 || column == RunsTableModel::Top1 ||
                       column == RunsTableModel::BestTop1;
  const QString text = QString::number(value, 'f', percent ? 2 : 4);
  return percent && now.scoreName != kAccuracyName
             ? QStringLiteral("%1 %2").arg(coreText(now.scoreName), text)
             : text;
}

/// Sorts folder by folder: "a/b" before "a-b".
bool namedBefore(const std::string& a, const std::string& b) {
  const auto rank = [](char letter) {
    return letter == '/' ? 0 : 1 + static_cast<int>(static_cast<unsigned char>(letter));
  };
  return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(),
                                      [&](char x, char y) { return rank(x) < rank(y); });
}

}  // namespace

bool isNumberCell(int column) {
  return column >= RunsTableModel::Epoch && column <= RunsTableModel::Locality;
}

QString runCellText(const ListedRun& run, int column) {
  if (column == RunsTableModel::Run) return displayName(QString::fromStdString(run.label));
  if (column == RunsTableModel::State) return stateCellText(run);
  if (column == RunsTableModel::Masks) return displayName(coreText(masksCell(run)));
  if (column == RunsTableModel::Config) return displayName(coreText(configSummary(run)));
  return numberCellText(run, column);
}

QString runCellTip(const ListedRun& run, int column) {
  if (column == RunsTableModel::Config) return plainToolTip(configTip(run));
  return plainToolTip(QString::fromStdString(run.standing.problem ? run.standing.problem->text()
                                                                  : run.folder.string()));
}

RunSortKey runSortKey(const ListedRun& run, int column) {
  RunSortKey key{runNumber(run, column), {}, &run, column == RunsTableModel::Run};
  if (column == RunsTableModel::State && run.looked)
    key.text = followedStateName(run.standing.state);
  if (column == RunsTableModel::Masks) key.text = masksCell(run);
  if (column == RunsTableModel::Config) key.text = configSummary(run);
  return key;
}

bool comesBefore(const RunSortKey& a, const RunSortKey& b, bool descending) {
  const bool knownA = std::isfinite(a.number), knownB = std::isfinite(b.number);
  if (knownA != knownB) return knownA;
  if (knownA && a.number != b.number) return (a.number < b.number) != descending;
  if (a.text.empty() != b.text.empty()) return b.text.empty();
  if (a.text != b.text) return (a.text < b.text) != descending;
  const bool back = descending && a.byName;
  const ListedRun &first = back ? *b.run : *a.run, &second = back ? *a.run : *b.run;
  if (first.label != second.label) return namedBefore(first.label, second.label);
  return namedBefore(first.folder.native(), second.folder.native());
}

}  // namespace headlight
