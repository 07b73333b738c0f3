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
#include "ui/base/CoreText.h"
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
      m_quantity(namedBox("runQuantity", tr("Quantity plotted"), this)),
      m_axis(namedBox("runAxis", tr("Horizontal axis"), this)),
      m_smoothing(namedBox("runSmoothing", tr("Smoothing of training curves"), this)),
      m_export(iconButton(this, "exportRunPlot", tr("Export &Plot…"), "export",
                          tr("Save the plot as PDF, SVG or PNG, or its numbers as CSV"))),
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
  fillSmoothing();
  for (QComboBox* box : {m_quantity, m_axis, m_smoothing})
    connect(box, &QComboBox::currentIndexChanged, this, &RunsComparison::draw);
  connect(m_quantity, &QComboBox::activated, this, [this] { m_quantityChosen = true; });
  m_export->setAutoDefault(false);
  m_missing->setObjectName(QStringLiteral("runCurvesMissing"));
  auto* row = new QHBoxLayout;
  row->addWidget(m_quantity);
  row->addWidget(m_axis);
  row->addWidget(m_smoothing);
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

void RunsComparison::fillSmoothing() {
  m_smoothing->addItem(tr("as measured"), 0.0);
  for (const double steps : {kUsualSmoothing, 100.0, 500.0})
    m_smoothing->addItem(tr("smoothed over %1 steps").arg(steps), steps);
  m_smoothing->setCurrentIndex(1);
  m_smoothing->setToolTip(
      tr("Running mean of what is measured in training steps. Validation, ALS and α are drawn as "
         "measured"));
}

QString RunsComparison::quantity() const {
  return m_quantity->currentData().toString();
}

double RunsComparison::smoothing() const {
  return m_smoothing->currentData().toDouble();
}

void RunsComparison::choose(const QString& quantity, const QString& axis) {
  m_quantityChosen = true;
  m_quantity->setCurrentIndex(m_quantity->findData(quantity));
  m_axis->setCurrentIndex(m_axis->findData(axis));
}

/// The quantities in the logs; until they are read, the common ones. The choice stays.
void RunsComparison::fillQuantities() {
  std::vector<const RunHistory*> histories;
  for (const auto& [id, history] : m_histories)
    histories.push_back(history.get());
  auto reported = quantitiesIn(histories);
  const QVariant before = m_quantityChosen
                              ? m_quantity->currentData()
                              : QVariant(QString::fromStdString(defaultQuantity(histories)));
  for (const RunQuantity& usual : runQuantities())
    if (reported.empty() || usual.key == before.toString().toStdString())
      if (std::none_of(reported.begin(), reported.end(),
                       [&](const RunQuantity& one) { return one.key == usual.key; }))
        reported.push_back(usual);
  QStringList keys, shown;
  for (const RunQuantity& one : reported)
    keys << QString::fromStdString(one.key);
  for (int i = 0; i < m_quantity->count(); ++i)
    shown << m_quantity->itemData(i).toString();
  const QSignalBlocker quiet(m_quantity);
  if (keys != shown) m_quantity->clear();
  for (std::size_t i = 0; i < reported.size() && keys != shown; ++i)
    m_quantity->addItem(coreText(reported[i].title), keys[static_cast<qsizetype>(i)]);
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
    RunCurve curve = makeRunCurve(*found->second, quantity().toStdString(), axis, smoothing());
    if (!curve.missing.empty()) missing[curve.missing].push_back(name.toStdString());
    lines.push_back({name.toStdString(), std::move(curve), makeRunMarks(*found->second, axis)});
  }
  QStringList reasons;
  for (const auto& [why, runs] : missing)
    reasons << QString::fromStdString(joined(runs, kMostSaid) + ": ") + coreText(why);
  const QString said = reasons.join(QLatin1Char('\n'));
  const RunQuantity shown{quantity().toStdString(), m_quantity->currentText().toStdString()};
  const std::string title = smoothedTitle(shown, smoothing());
  m_smoothing->setEnabled(smoothedTitle(shown, kUsualSmoothing) != shown.title);
  m_curves->setLines(lines, coreText(title),
                     coreText(runAxes()[static_cast<std::size_t>(axis)].title),
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
