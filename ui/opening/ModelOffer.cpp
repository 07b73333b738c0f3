// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/opening/ModelOffer.h"

#include <QMainWindow>

#include <utility>

#include "ui/base/Actions.h"
#include "ui/base/SanitizedText.h"
#include "ui/bridge/TrainingBridge.h"
#include "ui/document/Document.h"
#include "ui/opening/DemoModel.h"
#include "ui/opening/FetchJob.h"
#include "ui/opening/ModelOfferBar.h"

namespace headlight {

ModelOffer::ModelOffer(Document* document, TrainingBridge* training, const QString& sessionPath,
                       QMainWindow* window)
    : QObject(window),
      m_document(document),
      m_training(training),
      m_isKept(!sessionPath.isEmpty()),
      m_record(sessionPath),
      m_options(fetchOptionsOfEnvironment()),
      m_bar(new ModelOfferBar(window)),
      m_job(new FetchJob(this)) {
  window->addToolBarBreak(Qt::BottomToolBarArea);  // a line of its own
  window->addToolBar(Qt::BottomToolBarArea, m_bar);
  m_bar->hide();
  makeCommand();
  connectBar();
  connect(&document->inputs(), &InferenceInputs::modelChanged, this, [this] {
    m_demoComes = false;
    refresh();
  });
  connect(m_job, &FetchJob::progressed, m_bar, &ModelOfferBar::showProgress);
  connect(m_job, &FetchJob::ended, this, &ModelOffer::onEnded);
}

void ModelOffer::makeCommand() {
  m_command = headlight::makeCommand(this,
                                     {"model.suggested",
                                      tr("S&uggested models…"),
                                      tr("Download one of a few published models and open it"),
                                      "Ctrl+Alt+J",
                                      {}},
                                     [this] { show(); });
  m_command->setEnabled(canFetch());
}

void ModelOffer::connectBar() {
  connect(m_bar, &ModelOfferBar::accepted, this, &ModelOffer::accept);
  connect(m_bar, &ModelOfferBar::dismissed, this, &ModelOffer::dismiss);
  connect(m_bar, &ModelOfferBar::stopped, m_job, &FetchJob::stop);
  connect(m_bar, &ModelOfferBar::chosenChanged, this, [this] {
    m_here.reset();
    showOffer();
    findCached();
  });
  connect(m_bar, &ModelOfferBar::othersWanted, this, [this] {
    m_record.set(OfferAnswer::Done);  // it was answered by another choice
    close();
    Q_EMIT othersWanted();
  });
  connect(m_bar, &ModelOfferBar::tourWanted, this, &ModelOffer::tourWanted);
}

void ModelOffer::begin(bool demoComes) {
  const OfferAnswer answer = m_record.answer();
  const bool open = answer == OfferAnswer::None || answer == OfferAnswer::Wanted;
  m_demoComes = demoComes;
  m_due = m_isKept && open && canFetch() && !m_options.offline;
  if (!m_due) return;
  showOffer();
  refresh();
  findCached();
}

void ModelOffer::show() {
  m_forced = true;
  refresh();
  if (isDownloading()) return;
  showOffer();
  findCached();
}

bool ModelOffer::isDownloading() const {
  return m_job->isRunning();
}

bool ModelOffer::demoIsOpen() const {
  if (!m_document->inputs().hasModel()) return m_demoComes;
  const QString weights = QString::fromStdString(m_document->inputs().model().weights.string());
  return !weights.isEmpty() && weights == demoWeights();
}

void ModelOffer::refresh() {
  const bool busy = isDownloading() || m_askedAt.has_value();
  m_bar->setVisible(m_forced || busy || (m_due && demoIsOpen()));
}

void ModelOffer::showOffer() {
  const QString lead = m_record.answer() == OfferAnswer::Wanted
                           ? tr("The suggested model is still to be downloaded:")
                       : demoIsOpen() ? tr("The demo knows only nine synthetic shapes. See the "
                                           "attention of a published model:")
                                      : tr("See the attention of a published model:");
  m_bar->showOffer(lead, m_here.has_value());
}

/// Away from the window's thread: the cache may lie on a slow drive.
void ModelOffer::findCached() {
  const SuggestedModel* chosen = m_bar->chosen();
  if (!chosen) return;
  m_looking.run<std::optional<FetchedModel>>(
      [options = m_options, weights = chosen->weights](std::stop_token) {
        return fetchedAlready(weights, options);
      },
      [this, name = chosen->weights.name](const std::optional<FetchedModel>& here) {
        if (!here || isDownloading() || m_bar->chosen()->weights.name != name) return;
        m_here = here;
        if (!m_askedAt) showOffer();
      });
}

void ModelOffer::accept() {
  if (m_here) return open();
  download();
}

void ModelOffer::download() {
  const SuggestedModel* chosen = m_bar->chosen();
  if (!chosen || isDownloading()) return;
  m_record.set(OfferAnswer::Wanted);
  m_askedAt = makePlace();
  m_failed = false;
  m_bar->showStarting();
  m_job->start(chosen->weights, m_options);
}

ModelOffer::Place ModelOffer::makePlace() const {
  const InferenceInputs& inputs = m_document->inputs();
  if (!inputs.hasModel()) return {};
  return {inputs.model().weights, inputs.masks()};
}

/// Nobody has begun to work with the model that was open: another one may take its place.
bool ModelOffer::isUntouched() const {
  const Place now = makePlace();
  return m_askedAt && now.weights == m_askedAt->weights && now.masks == m_askedAt->masks &&
         !m_training->isRunning();
}

void ModelOffer::onEnded(const Result<FetchedModel>& fetched) {
  m_failed = !fetched;
  if (!fetched) {
    const bool stopped = fetched.error().code == ErrorCode::Canceled;
    m_bar->showProblem(stopped ? tr("Stopped. The part downloaded so far is kept.")
                               : shownText(QString::fromStdString(fetched.error().text())));
    return;
  }
  m_record.set(OfferAnswer::Done);
  m_here = *fetched;
  if (isUntouched()) return open();
  m_bar->showReady(tr("%1 is on this computer and was checked. Opening it replaces the model in "
                      "this window.")
                       .arg(m_bar->chosen()->title));
}

void ModelOffer::open() {
  const QString folder = QString::fromStdString(m_here->folder.string());
  m_record.set(OfferAnswer::Done);
  close();
  Q_EMIT openRequested(folder);
}

/// A download that was wanted and failed stays wanted.
void ModelOffer::dismiss() {
  if (!m_failed && m_record.answer() != OfferAnswer::Done) m_record.set(OfferAnswer::Declined);
  close();
}

void ModelOffer::close() {
  m_due = m_forced = false;
  m_askedAt.reset();
  refresh();
}

}  // namespace headlight
