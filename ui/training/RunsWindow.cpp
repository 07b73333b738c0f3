#include "ui/training/RunsWindow.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QDragEnterEvent>
#include <QFileInfo>
#include <QHeaderView>
#include <QLabel>
#include <QMimeData>
#include <QPushButton>
#include <QSplitter>
#include <QTableWidget>
#include <QTimer>
#include <QVBoxLayout>

#include <cmath>

#include "core/base/Files.h"
#include "ui/base/BackgroundTask.h"
#include "ui/base/Dialogs.h"
#include "ui/base/Icons.h"
#include "ui/base/MessageLabel.h"
#include "ui/base/ProgressLine.h"
#include "ui/base/ShownText.h"
#include "ui/forms/PathRow.h"
#include "ui/plots/PlotCommands.h"
#include "ui/plots/RunCurvesPlot.h"
#include "ui/training/RunFolders.h"

namespace headlight {
namespace {

constexpr int kRunIndex = Qt::UserRole + 1;  ///< of the first cell: which of the listed runs
constexpr std::size_t kMostCompared = 24;    ///< more lines cannot be told apart

/// Sorts as a number; what is not known comes last.
class NumberItem : public QTableWidgetItem {
 public:
  NumberItem(double value, const QString& text) : QTableWidgetItem(text) {
    setData(Qt::UserRole, std::isfinite(value) ? value : -1e300);
    setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
  }
  bool operator<(const QTableWidgetItem& other) const override {
    return data(Qt::UserRole).toDouble() < other.data(Qt::UserRole).toDouble();
  }
};

QTableWidgetItem* numberItem(double value, int decimals) {
  return new NumberItem(value,
                        std::isfinite(value) ? QString::number(value, 'f', decimals) : QString());
}

QTableWidgetItem* countItem(std::int64_t done, std::int64_t all) {
  const QString text = all > 0 ? QStringLiteral("%1/%2").arg(done).arg(all) : QString();
  return new NumberItem(static_cast<double>(done), text);
}

void makePlain(QTableWidget* table) {
  table->setEditTriggers(QAbstractItemView::NoEditTriggers);
  table->setSelectionBehavior(QAbstractItemView::SelectRows);
  table->setSelectionMode(QAbstractItemView::ExtendedSelection);
  table->verticalHeader()->hide();
  table->setWordWrap(false);
}

}  // namespace

RunsWindow::RunsWindow(const QString& folder, QWidget* parent)
    : QDialog(parent),
      m_listing(new BackgroundTask(this)),
      m_reading(new BackgroundTask(this)),
      m_opening(new BackgroundTask(this)),
      m_poll(new QTimer(this)),
      m_folder(new PathRow({"runsFolder",
                            tr("F&older"),
                            tr("Folder with runs"),
                            tr("Of runs, of a sweep, or with runs up to two folders down; may be "
                               "dropped here"),
                            {},
                            "browseRuns",
                            tr("Browse…"),
                            {}},
                           this)),
      m_table(new QTableWidget(0, 8, this)),
      m_differences(new QTableWidget(this)),
      m_quantity(new QComboBox(this)),
      m_axis(new QComboBox(this)),
      m_curves(new RunCurvesPlot(this)),
      m_plotCommands(nullptr),
      m_progress(new ProgressLine(tr("Reading the runs"), this)),
      m_status(new MessageLabel(this)) {
  setObjectName(QStringLiteral("runsWindow"));
  setWindowTitle(tr("Runs"));
  setAcceptDrops(true);
  resize(1120, 700);
  auto* layout = new QVBoxLayout(this);
  layout->addWidget(m_folder);
  auto* parts = new QSplitter(Qt::Vertical, this);
  parts->setChildrenCollapsible(false);
  parts->addWidget(makeLists());
  parts->addWidget(makeComparison());
  parts->setSizes({280, 360});
  layout->addWidget(parts, 1);
  layout->addWidget(m_progress);
  layout->addWidget(m_status);
  layout->addWidget(makeButtons());
  m_plotCommands = new PlotCommands(this, /*keys=*/false);
  connect(m_plotCommands, &PlotCommands::told, this,
          [this](const QString& text) { m_status->setMessage(text); });
  connect(m_plotCommands, &PlotCommands::failed, this,
          [this](const QString& title, const QString& text) {
            m_status->setMessage(title + QStringLiteral(". ") + text, MessageLabel::Tone::Problem);
          });
  connect(m_folder, &PathRow::edited, this, [this] { look(); });
  connect(m_folder, &PathRow::browseRequested, this, [this] {
    askForFolder(this, tr("Folder with runs"), this->folder(),
                 [this](const QString& path) { setFolder(path); });
  });
  m_poll->setInterval(static_cast<int>(1000 * kRunPollSeconds));
  connect(m_poll, &QTimer::timeout, this, [this] {
    if (!m_listing->isBusy()) look();
  });
  m_folder->setPath(folder);
}

RunsWindow::~RunsWindow() = default;

QWidget* RunsWindow::makeLists() {
  m_table->setObjectName(QStringLiteral("runTable"));
  m_table->setAccessibleName(tr("Runs"));
  m_table->setHorizontalHeaderLabels({tr("Run"), tr("State"), tr("Epoch"), tr("Loss"),
                                      tr("Validation loss"), tr("Top-1, %"), tr("Best top-1, %"),
                                      tr("ALS")});
  makePlain(m_table);
  m_table->setSortingEnabled(true);
  m_table->sortByColumn(0, Qt::AscendingOrder);
  connect(m_table, &QTableWidget::itemSelectionChanged, this, &RunsWindow::compare);
  connect(m_table, &QTableWidget::itemDoubleClicked, this, &RunsWindow::openBest);
  return m_table;
}

QWidget* RunsWindow::makeComparison() {
  m_quantity->setObjectName(QStringLiteral("runQuantity"));
  m_quantity->setAccessibleName(tr("What is drawn"));
  for (const std::string& name : runQuantityNames())
    m_quantity->addItem(QString::fromStdString(name));
  m_axis->setObjectName(QStringLiteral("runAxis"));
  m_axis->setAccessibleName(tr("Over what"));
  m_axis->addItems({tr("over steps"), tr("over epochs")});
  for (QComboBox* box : {m_quantity, m_axis})
    connect(box, &QComboBox::currentIndexChanged, this, &RunsWindow::draw);
  m_differences->setObjectName(QStringLiteral("runDifferences"));
  m_differences->setAccessibleName(tr("Settings in which the selected runs differ"));
  makePlain(m_differences);
  auto* row = new QHBoxLayout;
  row->addWidget(m_quantity);
  row->addWidget(m_axis);
  row->addStretch(1);
  auto* left = new QWidget(this);
  auto* column = new QVBoxLayout(left);
  column->setContentsMargins(0, 0, 0, 0);
  column->addLayout(row);
  column->addWidget(m_curves, 1);
  auto* right = new QWidget(this);
  auto* settings = new QVBoxLayout(right);
  settings->setContentsMargins(0, 0, 0, 0);
  settings->addWidget(new QLabel(tr("Settings that differ"), right));
  settings->addWidget(m_differences, 1);
  auto* sides = new QSplitter(Qt::Horizontal, this);
  sides->setChildrenCollapsible(false);
  sides->addWidget(left);
  sides->addWidget(right);
  sides->setSizes({640, 440});
  return sides;
}

QWidget* RunsWindow::makeButtons() {
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
  const auto add = [&](const QString& text, const char* name, const char* icon) {
    auto* button = buttons->addButton(text, QDialogButtonBox::ActionRole);
    button->setObjectName(QString::fromLatin1(name));
    button->setIcon(lineIcon(QString::fromLatin1(icon)));
    button->setAutoDefault(false);
    return button;
  };
  m_open = add(tr("Open Best Weights"), "openRunBest", "weights");
  m_follow = add(tr("Follow"), "followRun", "play");
  m_export = add(tr("Export Table…"), "exportRuns", "export");
  m_follow->setToolTip(tr("Shows the run's curves and weights in the window as it goes on"));
  connect(m_open, &QPushButton::clicked, this, &RunsWindow::openBest);
  connect(m_follow, &QPushButton::clicked, this, [this] {
    const auto chosen = selected();
    if (chosen.size() == 1)
      Q_EMIT followRequested(QString::fromStdString(chosen.front()->folder.string()));
  });
  connect(m_export, &QPushButton::clicked, this, [this] {
    FileQuestion question;
    question.mode = FileQuestion::Mode::SaveFile;
    question.title = tr("Export the table of runs");
    question.start = QStringLiteral("runs.csv");
    question.filter = tr("Tables (*.csv)");
    question.suffix = QStringLiteral("csv");
    askForPath(this, question, [this](const QString& path) { exportTable(path); });
  });
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  return buttons;
}

QString RunsWindow::folder() const {
  return QString::fromStdString(typedFolder(m_folder->path()).string());
}

void RunsWindow::setFolder(const QString& path) {
  m_folder->setPath(path);
  look();
}

void RunsWindow::showEvent(QShowEvent* event) {
  QDialog::showEvent(event);
  m_poll->start();
  look();
}

void RunsWindow::hideEvent(QHideEvent* event) {
  m_poll->stop();
  QDialog::hideEvent(event);
}

void RunsWindow::dragEnterEvent(QDragEnterEvent* event) {
  if (event->mimeData()->hasUrls()) event->acceptProposedAction();
}

void RunsWindow::dropEvent(QDropEvent* event) {
  const QList<QUrl> urls = event->mimeData()->urls();
  if (!urls.isEmpty() && urls.front().isLocalFile()) setFolder(urls.front().toLocalFile());
}

void RunsWindow::look() {
  if (m_runs.empty()) m_progress->setBusy();
  m_listing->run<std::vector<ListedRun>>(
      [path = typedFolder(m_folder->path())](std::stop_token stop) {
        return listRuns({path}, {}, stop);
      },
      [this](std::vector<ListedRun> runs) { fill(std::move(runs)); });
}

void RunsWindow::fill(std::vector<ListedRun> runs) {
  m_progress->clear();
  std::vector<std::filesystem::path> chosen;
  for (const ListedRun* run : selected())
    chosen.push_back(run->folder);
  m_runs = std::move(runs);
  const QSignalBlocker quiet(m_table);
  m_table->setSortingEnabled(false);
  m_table->clearSelection();
  m_table->setRowCount(static_cast<int>(m_runs.size()));
  for (int row = 0; row < m_table->rowCount(); ++row) {
    const ListedRun& run = m_runs[static_cast<std::size_t>(row)];
    const RunNumbers& now = run.standing.numbers;
    auto* name = new QTableWidgetItem(shownName(QString::fromStdString(run.label)));
    name->setData(kRunIndex, row);
    name->setToolTip(run.standing.problem ? QString::fromStdString(run.standing.problem->text())
                                          : QString::fromStdString(run.folder.string()));
    const QList<QTableWidgetItem*> cells{
        name,
        new QTableWidgetItem(QString::fromStdString(followedStateName(run.standing.state)) +
                             (run.standing.certain ? QString() : QStringLiteral("?"))),
        countItem(now.epoch, now.epochs),
        numberItem(now.loss, 4),
        numberItem(now.validationLoss, 4),
        numberItem(100 * now.top1, 2),
        numberItem(100 * now.bestTop1, 2),
        numberItem(now.locality, 4)};
    for (int column = 0; column < cells.size(); ++column)
      m_table->setItem(row, column, cells[column]);
  }
  m_table->setSortingEnabled(true);
  for (int row = 0; row < m_table->rowCount(); ++row) {
    const auto index = static_cast<std::size_t>(m_table->item(row, 0)->data(kRunIndex).toInt());
    if (std::find(chosen.begin(), chosen.end(), m_runs[index].folder) != chosen.end())
      m_table->selectionModel()->select(m_table->model()->index(row, 0),
                                        QItemSelectionModel::Select | QItemSelectionModel::Rows);
  }
  if (chosen.empty()) m_table->resizeColumnsToContents();
  if (m_runs.empty())
    m_status->setMessage(tr("There is no run in %1, nor up to two folders down.").arg(folder()),
                         MessageLabel::Tone::Plain);
  else if (m_status->tone() != MessageLabel::Tone::Problem)
    m_status->setMessage(
        tr("Runs: %1. Select some to see their curves in one plot.").arg(m_runs.size()));
  compare();
  Q_EMIT listed();
}

std::vector<const ListedRun*> RunsWindow::selected() const {
  std::vector<const ListedRun*> chosen;
  for (int row = 0; row < m_table->rowCount(); ++row) {
    const QTableWidgetItem* name = m_table->item(row, 0);
    if (!name || !name->isSelected() || chosen.size() >= kMostCompared) continue;
    const auto index = static_cast<std::size_t>(name->data(kRunIndex).toInt());
    if (index < m_runs.size()) chosen.push_back(&m_runs[index]);
  }
  return chosen;
}

void RunsWindow::compare() {
  const auto chosen = selected();
  m_open->setEnabled(chosen.size() == 1);
  m_follow->setEnabled(chosen.size() == 1);
  m_export->setEnabled(!m_runs.empty());
  showDifferences(chosen);
  std::vector<std::filesystem::path> folders;
  for (const ListedRun* run : chosen)
    folders.push_back(run->folder);
  m_reading->run<Histories>(
      [folders](std::stop_token stop) {
        Histories histories;
        for (const auto& folder : folders)
          if (!stop.stop_requested()) histories[folder] = RunFollower(folder).look(stop).points;
        return histories;
      },
      [this](Histories histories) {
        m_histories = std::move(histories);
        draw();
        Q_EMIT compared();
      });
}

void RunsWindow::draw() {
  const auto quantity = static_cast<RunQuantity>(m_quantity->currentIndex());
  const auto axis = static_cast<RunAxis>(m_axis->currentIndex());
  std::vector<RunCurvesPlot::Line> lines;
  for (const ListedRun* run : selected())
    if (const auto found = m_histories.find(run->folder); found != m_histories.end())
      lines.push_back(
          {shownName(QString::fromStdString(run->label)), curveOf(found->second, quantity, axis)});
  m_curves->setLines(lines, m_quantity->currentText(),
                     axis == RunAxis::Step ? tr("step") : tr("epoch"));
}

void RunsWindow::showDifferences(const std::vector<const ListedRun*>& chosen) {
  std::vector<std::shared_ptr<const Experiment>> experiments;
  QStringList names{tr("Setting")};
  for (const ListedRun* run : chosen) {
    experiments.push_back(run->experiment);
    names << shownName(QString::fromStdString(run->label));
  }
  const auto rows = settingDifferences(experiments);
  m_differences->setColumnCount(names.size());
  m_differences->setHorizontalHeaderLabels(names);
  m_differences->setRowCount(static_cast<int>(rows.size()));
  for (int row = 0; row < m_differences->rowCount(); ++row) {
    const SettingDifference& difference = rows[static_cast<std::size_t>(row)];
    m_differences->setItem(row, 0, new QTableWidgetItem(QString::fromStdString(difference.path)));
    for (int run = 0; run < names.size() - 1; ++run) {
      const QString value =
          QString::fromStdString(difference.values[static_cast<std::size_t>(run)]);
      auto* item = new QTableWidgetItem(value);
      item->setToolTip(value);
      m_differences->setItem(row, run + 1, item);
    }
  }
  m_differences->resizeColumnsToContents();
}

void RunsWindow::openBest() {
  const auto chosen = selected();
  if (chosen.size() != 1) return;
  m_opening->run<Result<RecordedRun>>(
      [folder = chosen.front()->folder](std::stop_token) { return readRecordedRun(folder); },
      [this](const Result<RecordedRun>& run) {
        const auto path =
            run ? (run->best.empty() ? run->last : run->best) : std::filesystem::path();
        if (!path.empty()) return Q_EMIT openRequested(QString::fromStdString(path.string()));
        m_status->setMessage(run ? tr("This run has no checkpoint yet.")
                                 : QString::fromStdString(run.error().text()),
                             MessageLabel::Tone::Problem);
      });
}

void RunsWindow::exportTable(const QString& path) {
  m_status->tellSaved(path, writeFileAtomically(path.toStdString(), runsCsv(m_runs)));
}

}  // namespace headlight
