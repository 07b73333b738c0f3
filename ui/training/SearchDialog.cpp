// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/training/SearchDialog.h"

#include <QDialogButtonBox>
#include <QDir>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QSplitter>
#include <QTableWidget>
#include <QTimer>
#include <QVBoxLayout>

#include <mutex>
#include <optional>

#include "core/config/DatasetKinds.h"
#include "core/workbench/search/SearchEstimate.h"
#include "core/workbench/search/SearchFolder.h"
#include "ui/base/BackgroundTask.h"
#include "ui/base/CombinedStopSource.h"
#include "ui/base/CoreText.h"
#include "ui/base/Icons.h"
#include "ui/forms/IdleFields.h"
#include "ui/forms/ParameterForm.h"
#include "ui/forms/PathRow.h"
#include "ui/training/RunFolders.h"
#include "ui/widgets/Dialogs.h"
#include "ui/widgets/MessageLabel.h"
#include "ui/widgets/ProgressLine.h"
#include "ui/widgets/Questions.h"

namespace headlight {
namespace {

constexpr int kPollMs = 150, kSettleMs = 300;

constexpr int kReason = 4;         ///< the column of the log
constexpr int kMostFitted = 2000;  ///< rows that are fitted anew to another width

std::filesystem::path folderStem(const Experiment& experiment) {
  return runsFolder().parent_path() / "searches" / folderName(experiment.name);
}

}  // namespace

/// The reports of the search since the last poll.
struct SearchDialog::Reported {
  std::mutex mutex;
  std::vector<QStringList> lines;
  std::optional<Progress> progress;

  void add(const QStringList& line) {
    const std::lock_guard lock(mutex);
    lines.push_back(line);
  }
};

/// What is found out before a search begins, outside the window's thread.
struct SearchDialog::Planned {
  QString folder;  ///< the one that the settings propose
  Result<SearchEstimate> estimate;
};

SearchDialog::SearchDialog(const Experiment& experiment, const std::string& loadedWeights,
                           QWidget* parent)
    : QDialog(parent),
      m_experiment(experiment),
      m_loaded(loadedWeights),
      m_task(new BackgroundTask(this)),
      m_measuring(new BackgroundTask(this)),
      m_poll(new QTimer(this)),
      m_settle(new QTimer(this)),
      m_form(new ParameterForm(searchParameters(), {}, this)),
      m_folder(new PathRow({"searchFolder",
                            tr("F&older"),
                            tr("Folder of the search"),
                            tr("If the folder contains this search, it continues"),
                            {},
                            "browseSearch",
                            tr("Browse…"),
                            {}},
                           this)),
      m_about(new QLabel(this)),
      m_time(new QLabel(this)),
      m_log(new QTableWidget(0, 5, this)),
      m_progress(new ProgressLine(tr("Progress of the search"), this)),
      m_status(new MessageLabel(this)) {
  setObjectName(QStringLiteral("searchDialog"));
  setWindowTitle(tr("Search for a mask scheme"));
  resize(1000, 640);
  auto* layout = new QVBoxLayout(this);
  layout->setSpacing(8);
  m_about->setTextFormat(Qt::PlainText);
  m_about->setWordWrap(true);
  layout->addWidget(m_about);
  auto* middle = new QSplitter(Qt::Horizontal, this);
  middle->setChildrenCollapsible(false);
  m_form->setFilterVisible(false);
  middle->addWidget(m_form);
  middle->addWidget(makeLog());
  middle->setSizes({400, 600});
  layout->addWidget(middle, 1);
  layout->addWidget(m_folder);
  m_time->setObjectName(QStringLiteral("searchTime"));
  layout->addWidget(m_time);
  layout->addWidget(m_progress);
  layout->addWidget(m_status);
  layout->addWidget(makeButtons());
  m_status->setObjectName(QStringLiteral("searchStatus"));
  m_settle->setSingleShot(true);
  m_settle->setInterval(kSettleMs);
  connect(m_settle, &QTimer::timeout, this, &SearchDialog::measure);
  connect(m_form, &ParameterForm::changed, this, &SearchDialog::onChanged);
  connect(m_folder, &PathRow::edited, this, [this] { takeFolder(m_folder->path()); });
  connect(m_folder, &PathRow::browseRequested, this, [this] {
    askForFolder(this, tr("Folder of the search"), folder(),
                 [this](const QString& path) { setFolder(path); });
  });
  m_poll->setInterval(kPollMs);
  connect(m_poll, &QTimer::timeout, this, &SearchDialog::collect);
  onChanged();
}

SearchDialog::~SearchDialog() = default;

QWidget* SearchDialog::makeLog() {
  m_log->setObjectName(QStringLiteral("searchLog"));
  m_log->setAccessibleName(tr("Steps and decisions"));
  m_log->setHorizontalHeaderLabels(
      {tr("Round"), tr("Layer"), tr("Head"), tr("Action"), tr("Reason")});
  m_log->setEditTriggers(QAbstractItemView::NoEditTriggers);
  m_log->setSelectionBehavior(QAbstractItemView::SelectRows);
  m_log->verticalHeader()->hide();
  m_log->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
  m_log->horizontalHeader()->setSectionResizeMode(kReason, QHeaderView::Stretch);
  connect(m_log->horizontalHeader(), &QHeaderView::sectionResized, m_log, [this](int column) {
    if (column == kReason && m_log->rowCount() <= kMostFitted) m_log->resizeRowsToContents();
  });
  m_log->setWordWrap(true);  // reasons are sentences: whole ones
  m_log->setTextElideMode(Qt::ElideNone);
  m_log->horizontalHeaderItem(kReason)->setToolTip(
      tr("ALS: share of attention within 3×3 patches (0 to 1). Importance: rise of the mean loss "
         "if the head's output is 0. MACs: multiply-accumulates of one image. Top-1 in percent."));
  return m_log;
}

QWidget* SearchDialog::makeButtons() {
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
  const auto add = [&](const QString& text, const char* name, const char* icon) {
    auto* button = buttons->addButton(text, QDialogButtonBox::ActionRole);
    button->setObjectName(QString::fromLatin1(name));
    button->setIcon(lineIcon(QString::fromLatin1(icon)));
    return button;
  };
  m_start = add(tr("Search"), "startSearch", "play");
  m_stop = add(tr("Stop"), "stopSearch", "stop");
  m_use = add(tr("Use These Masks"), "useFoundMasks", "masks");
  m_start->setDefault(true);
  m_use->setToolTip(tr("Apply the masks found to the open model; undo restores the previous ones"));
  connect(m_start, &QPushButton::clicked, this, &SearchDialog::start);
  connect(m_stop, &QPushButton::clicked, this, &SearchDialog::stop);
  connect(m_use, &QPushButton::clicked, this, [this] {
    if (m_found) Q_EMIT found(*m_found);
  });
  connect(buttons, &QDialogButtonBox::rejected, this, &SearchDialog::reject);
  return buttons;
}

SearchPlan SearchDialog::plan() const {
  SearchPlan plan{m_experiment, {}};
  // An invalid field shows its own error; nothing starts until it is corrected.
  static_cast<void>(readParameters(searchParameters(), m_form->values(), &plan.options, {}));
  plan.experiment.edits.clear();
  if (plan.options.method != "mait") plan.experiment.training.weights = m_loaded;
  return plan;
}

QString SearchDialog::folder() const {
  return QString::fromStdString(typedFolder(m_folder->path()).string());
}

void SearchDialog::setFolder(const QString& path) {
  m_folder->setPath(path);
  takeFolder(path);
}

void SearchDialog::takeFolder(const QString&) {
  m_folderChosen = true;
  onChanged();
}

/// Other settings are another search: it gets a folder of its own.
void SearchDialog::onChanged() {
  if (isSearching()) return;
  m_measuring->cancel();
  m_time->clear();
  if (!m_folderChosen) {
    std::filesystem::path own = folderStem(m_experiment);
    m_folder->setPath(QString::fromStdString((own += "-" + plan().options.method).string()));
  }
  m_settle->start();
  refresh();
}

void SearchDialog::measure() {
  if (isSearching() || !problem().isEmpty()) return;
  m_time->setText(tr("Estimating the time…"));
  m_measuring->run<Planned>(
      [plan = plan(), stem = folderStem(m_experiment), chosen = m_folderChosen,
       folder = folder().toStdString()](std::stop_token stop) -> Planned {
        const std::filesystem::path output =
            chosen ? std::filesystem::path(folder) : searchFolder(stem, plan);
        return {QString::fromStdString(output.string()), estimateSearch(plan, output, stop)};
      },
      [this](const Planned& planned) {
        if (!m_folderChosen) m_folder->setPath(planned.folder);
        m_time->setText(planned.estimate
                            ? tr("Takes %1 on this machine (estimated from a few steps)")
                                  .arg(coreText(searchTimeText(*planned.estimate)))
                            : tr("The time cannot be estimated: %1")
                                  .arg(QString::fromStdString(planned.estimate.error().text())));
        Q_EMIT estimated();
      });
}

QString SearchDialog::timeText() const {
  return m_time->text();
}

bool SearchDialog::isSearching() const {
  return m_task->isBusy();
}

QString SearchDialog::problem() const {
  if (!m_form->isValid()) return m_form->firstError();
  if (m_folder->path().trimmed().isEmpty()) return tr("Choose a folder for the search.");
  if (plan().options.method != "mait" && m_loaded.empty())
    return tr(
        "This method needs a trained model. Save the open model's weights (Ctrl+S), or open "
        "trained ones.");
  return {};
}

void SearchDialog::refresh() {
  const SearchPlan wanted = plan();
  m_form->hideFields(idleSearchFields(wanted.options.method));
  const std::string& data = wanted.experiment.data.dataset;
  const QString where = isDrawnData(data) ? QString::fromStdString(data)
                                          : QString::fromStdString(wanted.experiment.data.path);
  m_about->setText(
      wanted.options.method == "mait"
          ? tr("Trains %1 on %2 with the settings of Train… and selects the heads to mask.")
                .arg(QString::fromStdString(wanted.experiment.model.name), where)
          : tr("Evaluates the loaded weights of %1 on images of %2.")
                .arg(QString::fromStdString(wanted.experiment.model.name), where));
  const bool busy = isSearching();
  const QString wrong = problem();
  m_form->setEnabled(!busy);
  m_folder->setEnabled(!busy);
  m_start->setEnabled(!busy && wrong.isEmpty());
  m_stop->setEnabled(busy);
  m_use->setEnabled(!busy && m_found.has_value());
  if (!busy && !wrong.isEmpty())
    m_status->setMessage(wrong, MessageLabel::Tone::Problem);
  else if (m_status->tone() == MessageLabel::Tone::Problem)
    m_status->clear();
}

void SearchDialog::start() {
  if (isSearching() || !problem().isEmpty()) return;
  m_settle->stop();
  m_measuring->cancel();
  m_time->clear();
  m_log->setRowCount(0);
  m_found.reset();
  m_reported = std::make_shared<Reported>();
  m_stopping = std::stop_source();
  SearchObserver observer;
  observer.begun = [reported = m_reported](const std::string& round, const MaskScheme& scheme,
                                           bool resumed) {
    reported->add({QString::fromStdString(round),
                   {},
                   {},
                   resumed ? tr("continues") : tr("trains"),
                   tr("masked heads: %1").arg(scheme.maskedHeads())});
  };
  observer.update = [reported = m_reported](const TrainingUpdate& update) {
    for (const EpochPoint& point : update.epochPoints)
      reported->add({{},
                     {},
                     {},
                     tr("epoch %1 of %2").arg(point.epoch).arg(update.epochs),
                     tr("top-1 %1 %, loss %2")
                         .arg(100 * point.top1, 0, 'f', 2)
                         .arg(point.validationLoss, 0, 'f', 4)});
  };
  observer.decided = [reported = m_reported](const SearchDecision& decision) {
    reported->add({QString::fromStdString(decision.round), QString::number(decision.layer),
                   decision.head < 0 ? tr("all") : QString::number(decision.head),
                   coreText(decision.action), coreText(decision.reason)});
  };
  observer.tried = [reported = m_reported](const SearchTrial& trial) {
    reported->add({QString::fromStdString(trial.name),
                   {},
                   {},
                   tr("tried"),
                   tr("masked heads: %1, top-1 %2 %, loss %3")
                       .arg(trial.scheme.maskedHeads())
                       .arg(100 * trial.top1, 0, 'f', 2)
                       .arg(trial.loss, 0, 'f', 4)});
  };
  observer.progress = [reported = m_reported](const Progress& progress) {
    const std::lock_guard lock(reported->mutex);
    reported->progress = progress;
  };
  m_progress->setBusy();
  m_status->clear();
  m_poll->start();
  m_task->run<Result<SearchReport>>(
      [plan = plan(), folder = folder().toStdString(), observer,
       asked = m_stopping.get_token()](std::stop_token gone) {
        // Stop still reports the result; a closed dialog does not.
        const CombinedStopSource stop(asked, gone);
        return searchScheme(plan, folder, observer, stop.token());
      },
      [this](const Result<SearchReport>& report) { finish(report); });
  refresh();
}

void SearchDialog::collect() {
  std::vector<QStringList> lines;
  std::optional<Progress> progress;
  {
    const std::lock_guard lock(m_reported->mutex);
    lines.swap(m_reported->lines);
    progress.swap(m_reported->progress);
  }
  for (const QStringList& line : lines)
    addLine(line);
  if (!lines.empty()) m_log->scrollToBottom();
  if (progress) m_progress->setProgress(*progress);
}

void SearchDialog::addLine(const QStringList& cells) {
  const int row = m_log->rowCount();
  m_log->insertRow(row);
  for (int column = 0; column < cells.size(); ++column) {
    auto* item = new QTableWidgetItem(cells[column]);
    item->setToolTip(cells[column]);
    m_log->setItem(row, column, item);
  }
  m_log->resizeRowToContents(row);
}

void SearchDialog::finish(const Result<SearchReport>& report) {
  withdrawQuestions(this);
  collect();
  m_poll->stop();
  m_progress->clear();
  if (report) m_found = *report;
  refresh();
  if (report)
    m_status->setMessage(tr("Masked heads: %1. The scheme and its report are in %2.")
                             .arg(report->scheme.maskedHeads())
                             .arg(QDir::toNativeSeparators(folder())),
                         MessageLabel::Tone::Plain);
  else if (report.error().code == ErrorCode::Canceled)
    m_status->setMessage(tr("Stopped. Press Search to continue."), MessageLabel::Tone::Plain);
  else
    m_status->setMessage(QString::fromStdString(report.error().text()),
                         MessageLabel::Tone::Problem);
  Q_EMIT ended();
}

void SearchDialog::stop() {
  if (!isSearching()) return;
  m_status->setMessage(tr("Stopping after the current step…"), MessageLabel::Tone::Plain);
  m_stop->setEnabled(false);
  m_stopping.request_stop();
}

void SearchDialog::reject() {
  if (!isSearching()) return QDialog::reject();
  dialogs().confirm(this, tr("Stop the search?"),
                    tr("Results so far are kept. To continue later, choose the same folder."),
                    tr("Stop"), [this](bool yes) {
                      if (!yes) return;
                      connect(this, &SearchDialog::ended, this, [this] { QDialog::reject(); });
                      if (isSearching())
                        stop();
                      else
                        QDialog::reject();
                    });
}

}  // namespace headlight
