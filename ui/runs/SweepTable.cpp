// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/runs/SweepTable.h"

#include <QHeaderView>

#include <algorithm>
#include <cmath>
#include <limits>

#include "ui/base/CoreText.h"
#include "ui/widgets/NumberItem.h"

namespace headlight {
namespace {

const double kNone = std::numeric_limits<double>::quiet_NaN();

NumberItem* statisticItem(const SweepStatistic* value, bool bits) {
  if (!value || std::isnan(value->mean)) return new NumberItem(kNone, {});
  const std::string text = bits ? bitsText(*value) : percentText(*value);
  return new NumberItem(value->mean, QString::fromStdString(text));
}

NumberItem* countItem(std::int64_t value, double unit, int decimals) {
  const double shown = static_cast<double>(value) / unit;
  return value > 0 ? new NumberItem(shown, QString::number(shown, 'f', decimals))
                   : new NumberItem(kNone, {});
}

}  // namespace

SweepTable::SweepTable(QWidget* parent) : QTableWidget(0, 8, parent) {
  setObjectName(QStringLiteral("sweepTable"));
  setAccessibleName(tr("Variants"));
  setEditTriggers(NoEditTriggers);
  setSelectionBehavior(SelectRows);
  setWordWrap(false);
  verticalHeader()->hide();
  setSortingEnabled(true);
  horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder);  // as the plan has them
  horizontalHeader()->hide();
}

void SweepTable::showSweep(const SweepPlan& plan, const SweepReport& report,
                           const std::vector<double>& secondsOfRun) {
  const bool bits = plan.ofSequences();
  QString unit = bits ? QString::fromLatin1(plan.variants.front().sequence->unit())
                      : coreText(plan.scoreName()) + tr(", %");
  if (plan.seeds.size() == 1) unit += tr(", one seed");
  setHorizontalHeaderLabels({tr("Variant"), tr("Runs"), tr("Best %1").arg(unit),
                             tr("Last %1").arg(unit), tr("Size, M"), bits ? tr("T") : tr("MACs, M"),
                             bits ? tr("Sequences/s") : tr("Images/s"), tr("Time per run")});
  horizontalHeader()->show();
  setSortingEnabled(false);
  setRowCount(static_cast<int>(plan.variants.size()));
  for (int row = 0; row < rowCount(); ++row) {
    const auto v = static_cast<std::size_t>(row);
    const auto known =
        std::find_if(report.rows.begin(), report.rows.end(),
                     [&](const SweepRow& one) { return one.name == plan.variants[v].name; });
    fillRow(row, plan, known == report.rows.end() ? nullptr : &*known,
            v < secondsOfRun.size() ? secondsOfRun[v] : 0);
  }
  setSortingEnabled(true);
  resizeColumnsToContents();
}

void SweepTable::fillRow(int row, const SweepPlan& plan, const SweepRow* known, double seconds) {
  const bool bits = plan.ofSequences();
  const auto& variant = plan.variants[static_cast<std::size_t>(row)];
  const std::int64_t runs = known ? known->runs : 0;
  auto* name = new QTableWidgetItem(QString::fromStdString(variant.name));
  name->setToolTip(name->text());
  setItem(row, 0, name);
  setItem(row, 1,
          new NumberItem(static_cast<double>(runs),
                         QStringLiteral("%1/%2").arg(runs).arg(plan.seeds.size())));
  setItem(row, 2, statisticItem(known ? &known->best : nullptr, bits));
  setItem(row, 3, statisticItem(known ? &known->last : nullptr, bits));
  setItem(row, 4, countItem(known ? known->parameters : 0, 1e6, 3));
  setItem(row, 5,
          bits ? countItem(known ? known->length : 0, 1, 0)
               : countItem(known ? known->macs : 0, 1e6, 1));
  const double speed = known ? known->perSecond : 0;
  setItem(row, 6,
          speed > 0 ? new NumberItem(speed, QString::number(speed, 'f', speed < 10 ? 2 : 0))
                    : new NumberItem(kNone, {}));
  setItem(row, 7,
          seconds > 0 ? new NumberItem(seconds, QString::fromStdString(formatDuration(seconds)))
                      : new NumberItem(kNone, {}));
}

}  // namespace headlight
