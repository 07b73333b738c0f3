// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/runs/RunsComparison.h"

#include <QAction>
#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QSignalBlocker>
#include <QTableWidget>
#include <QVBoxLayout>

#include <algorithm>

#include "core/base/Text.h"
#include "core/workbench/figures/RunFigure.h"
#include "ui/base/SanitizedText.h"
#include "ui/plots/PlotCommands.h"
#include "ui/plots/RunCurvesPlot.h"
#include "ui/widgets/IconButton.h"
#include "ui/widgets/MessageLabel.h"

namespace headlight {
namespace {

constexpr std::size_t kMostSaid = 4;  ///< runs whose curve is missing

QComboBox* namedBox(const char* name, const QString& accessibleName, QWidget* parent) {
  auto* box = new QComboBox(parent);
  box->setObjectName(QString::fromLatin1(name));
  box->setAccessibleName(accessibleName);
  box->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  return box;
}

}  // namespace

RunsComparison::RunsComparison(QWidget* parent)
    : QSplitter(Qt::Horizontal, parent),
      m_quantity(namedBox("runQuantity", tr("What is drawn"), this)),
      m_axis(namedBox("runAxis", tr("Over what"), this)),
      m_export(iconButton(this, "exportRunPlot", tr("Export &Plot…"), "export",
                          tr("The plot as PDF, SVG or PNG, or its numbers as CSV"))),
      m_curves(new RunCurvesPlot(this)),
      m_missing(new MessageLabel(this)),
      m_differences(new QTableWidget(this)) {
  setObjectName(QStringLiteral("runsComparison"));
  setChildrenCollapsible(false);
  addWidget(makeCurves());
  addWidget(makeDifferences());
  setSizes({640, 440});
  m_commands = new PlotCommands(this, /*keys=*/false);
  connect(m_export, &QPushButton::clicked, m_commands->commands().last(), &QAction::trigger);
  fillQuantities();
  draw();
}

QWidget* RunsComparison::makeCurves() {
  for (const RunAxisName& axis : runAxes())
    m_axis->addItem(tr("over %1").arg(QString::fromStdString(axis.key)),
                    QString::fromStdString(axis.key));
  for (QComboBox* box : {m_quantity, m_axis})
    connect(box, &QComboBox::currentIndexChanged, this, &RunsComparison::draw);
  m_export->setAutoDefault(false);
  m_missing->setObjectName(QStringLiteral("runCurvesMissing"));
  auto* row = new QHBoxLayout;
  row->addWidget(m_quantity);
  row->addWidget(m_axis);
  row->addStretch(1);
  row->addWidget(m_export);
  auto* left = new QWidget(this);
  auto* layout = new QVBoxLayout(left);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addLayout(row);
  layout->addWidget(m_curves, 1);
  layout->addWidget(m_missing);
  return left;
}

QWidget* RunsComparison::makeDifferences() {
  m_differences->setObjectName(QStringLiteral("runDifferences"));
  m_differences->setAccessibleName(tr("Settings in which the selected runs differ"));
  m_differences->setEditTriggers(QAbstractItemView::NoEditTriggers);
  m_differences->setSelectionBehavior(QAbstractItemView::SelectRows);
  m_differences->verticalHeader()->hide();
  m_differences->setWordWrap(false);
  auto* right = new QWidget(this);
  auto* layout = new QVBoxLayout(right);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(new QLabel(tr("Settings that differ"), right));
  layout->addWidget(m_differences, 1);
  return right;
}

void RunsComparison::setRuns(const std::vector<ListedRun>& runs) {
  m_runs = runs;
  std::erase_if(m_histories, [&](const auto& known) {
    return std::none_of(runs.begin(), runs.end(),
                        [&](const ListedRun& run) { return run.id == known.first; });
  });
  showDifferences();
  fillQuantities();
  draw();
}

void RunsComparison::takeHistories(
    const std::map<std::uint64_t, std::shared_ptr<const RunHistory>>& histories) {
  bool any = false;
  for (const ListedRun& run : m_runs)
    if (const auto found = histories.find(run.id); found != histories.end()) {
      m_histories[run.id] = found->second;
      any = true;
    }
  if (!any) return;
  fillQuantities();
  draw();
}

bool RunsComparison::isComplete() const {
  return std::all_of(m_runs.begin(), m_runs.end(),
                     [this](const ListedRun& run) { return m_histories.contains(run.id); });
}

void RunsComparison::choose(const QString& quantity, const QString& axis) {
  m_quantity->setCurrentIndex(m_quantity->findData(quantity));
  m_axis->setCurrentIndex(m_axis->findData(axis));
}

/// What the logs have; before they are read what most of them have. The choice stays.
void RunsComparison::fillQuantities() {
  std::vector<const RunHistory*> histories;
  for (const auto& [id, history] : m_histories)
    histories.push_back(history.get());
  auto told = quantitiesIn(histories);
  const QVariant before = m_quantity->currentData();
  for (const RunQuantity& usual : runQuantities())
    if (told.empty() || usual.key == before.toString().toStdString())
      if (std::none_of(told.begin(), told.end(),
                       [&](const RunQuantity& one) { return one.key == usual.key; }))
        told.push_back(usual);
  QStringList keys, shown;
  for (const RunQuantity& one : told)
    keys << QString::fromStdString(one.key);
  for (int i = 0; i < m_quantity->count(); ++i)
    shown << m_quantity->itemData(i).toString();
  if (keys == shown) return;
  const QSignalBlocker quiet(m_quantity);
  m_quantity->clear();
  for (const RunQuantity& one : told)
    m_quantity->addItem(QString::fromStdString(one.title), QString::fromStdString(one.key));
  m_quantity->setCurrentIndex(std::max(0, m_quantity->findData(before)));
}

void RunsComparison::draw() {
  const auto axis = static_cast<RunAxis>(m_axis->currentIndex());
  std::vector<NamedCurve> lines;
  std::map<std::string, std::vector<std::string>> missing;  // why, and of whom
  for (const ListedRun& run : m_runs) {
    const auto found = m_histories.find(run.id);
    if (found == m_histories.end() || !found->second) continue;
    const QString name = displayName(QString::fromStdString(run.label));
    RunCurve curve =
        curveOf(*found->second, m_quantity->currentData().toString().toStdString(), axis);
    if (!curve.missing.empty()) missing[curve.missing].push_back(name.toStdString());
    lines.push_back({name.toStdString(), std::move(curve)});
  }
  QStringList reasons;
  for (const auto& [why, runs] : missing)
    reasons << QString::fromStdString(joined(runs, kMostSaid) + ": " + why);
  const QString said = reasons.join(QLatin1Char('\n'));
  m_curves->setLines(lines, m_quantity->currentText(),
                     QString::fromStdString(runAxes()[static_cast<std::size_t>(axis)].title),
                     m_runs.empty() ? tr("Select runs to see their curves in one plot") : said);
  m_missing->setMessage(m_curves->note().isEmpty() ? said : QString());
  m_export->setEnabled(!lines.empty());
}

void RunsComparison::showDifferences() {
  std::vector<std::shared_ptr<const Experiment>> experiments;
  QStringList names{tr("Setting")};
  for (const ListedRun& run : m_runs) {
    experiments.push_back(run.experiment);
    names << displayName(QString::fromStdString(run.label));
  }
  if (experiments == m_compared && m_differences->columnCount() == names.size()) return;
  m_compared = experiments;
  const auto rows = settingDifferences(experiments);
  m_differences->setColumnCount(static_cast<int>(names.size()));
  m_differences->setHorizontalHeaderLabels(names);
  m_differences->setRowCount(static_cast<int>(rows.size()));
  for (int row = 0; row < m_differences->rowCount(); ++row) {
    const SettingDifference& difference = rows[static_cast<std::size_t>(row)];
    m_differences->setItem(row, 0, new QTableWidgetItem(QString::fromStdString(difference.path)));
    for (int run = 0; run < names.size() - 1; ++run) {
      const QString value =
          displayName(QString::fromStdString(difference.values[static_cast<std::size_t>(run)]));
      auto* item = new QTableWidgetItem(value);
      item->setToolTip(plainToolTip(value));
      m_differences->setItem(row, run + 1, item);
    }
  }
  m_differences->resizeColumnsToContents();
}

}  // namespace headlight
