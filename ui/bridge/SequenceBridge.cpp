// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/SequenceBridge.h"

#include <mutex>
#include <string>
#include <utility>

namespace headlight {

struct SequenceBridge::Mail {
  std::mutex mutex;
  std::optional<Progress> progress;
  std::string bytes;
  bool woken = false;  ///< a wake-up is on its way, or waits for the throttle
};

namespace {

constexpr int kMailIntervalMs = 33;  // at most 30 repaints a second

using OpenedSequence = std::pair<std::shared_ptr<SequenceSession>, SequenceModelInfo>;

/// What the window says of it is read here: asking later could wait for a drawing that goes on.
Result<OpenedSequence> openSequence(const std::filesystem::path& path) {
  auto session = SequenceSession::open(path);
  if (!session) return session.error();
  SequenceModelInfo info;
  info.experiment = (*session)->experiment();
  info.weights = QString::fromStdString((*session)->weights().string());
  info.parameters = (*session)->parameters();
  return OpenedSequence{*session, info};
}

Result<CompletedImage> completeImage(const SequenceSession& session, const Image& image,
                                     const CompletionSettings& settings,
                                     const ProgressCallback& progress, std::stop_token stop) {
  CompletedImage result;
  const auto view = session.view(image);
  if (!view) return view.error();
  auto samples =
      session.complete(image, settings.keptFraction, settings.samples, settings.temperature,
                       static_cast<std::uint64_t>(settings.seed), progress, std::move(stop));
  if (!samples) return samples.error();
  result.view = *view;
  result.kept = keptRows(view->height, settings.keptFraction);
  result.samples = std::move(*samples);
  result.settings = settings;
  return result;
}

}  // namespace

SequenceBridge::SequenceBridge(QObject* parent)
    : QObject(parent), m_takingMail(kMailIntervalMs, [this] { takeMail(); }) {}

SequenceBridge::~SequenceBridge() {
  m_stop.request_stop();
}

template <typename Work, typename Done>
void SequenceBridge::run(Job job, Work work, Done done) {
  m_stop.request_stop();
  m_stop = std::stop_source();
  m_mail = std::make_shared<Mail>();
  setJob(job);
  m_worker.post([this, job, work = std::move(work), done = std::move(done), mail = m_mail,
                 stop = m_stop.get_token()](std::stop_token) {
    const auto result = std::make_shared<decltype(work(mail, stop))>(work(mail, stop));
    callInThread(this, [this, job, mail, result, done] {
      if (mail != m_mail) return;  // a newer job is under way
      m_takingMail.runNow();
      m_mail.reset();
      setJob(Job::None);
      *result ? done(std::move(**result)) : notify(job, result->error());
    });
  });
}

void SequenceBridge::open(const QString& path) {
  run(
      Job::Opening,
      [path = std::filesystem::path(path.toStdString())](
          const MailPointer&, const std::stop_token&) { return openSequence(path); },
      [this](OpenedSequence result) { opened(std::move(result.first), std::move(result.second)); });
}

void SequenceBridge::opened(std::shared_ptr<SequenceSession> session, SequenceModelInfo info) {
  m_session = std::move(session);
  m_model = std::move(info);
  Q_EMIT modelChanged();
}

void SequenceBridge::view(const Image& image) {
  if (!m_session) return;
  run(
      Job::Viewing,
      [session = m_session, image](const MailPointer&, const std::stop_token&) {
        return session->view(image);
      },
      [this](const Image& view) { Q_EMIT viewed(view); });
}

void SequenceBridge::complete(const Image& image, const CompletionSettings& settings) {
  if (!m_session) return;
  run(
      Job::Completing,
      [this, session = m_session, image, settings](const MailPointer& mail,
                                                   const std::stop_token& stop) {
        return completeImage(*session, image, settings, reporter(mail), stop);
      },
      [this](CompletedImage image) {
        Q_EMIT completed(std::make_shared<const CompletedImage>(std::move(image)));
      });
}

void SequenceBridge::continueText(const QString& prompt, const ContinuationSettings& settings) {
  if (!m_session) return;
  run(
      Job::Continuing,
      [this, session = m_session, prompt = prompt.toStdString(), settings](
          const MailPointer& mail, const std::stop_token& stop) {
        const auto take = [&](const std::string& bytes) {
          {
            const std::lock_guard lock(mail->mutex);
            mail->bytes += bytes;
          }
          post(mail);
        };
        return session->continueText(prompt, settings.bytes, settings.temperature,
                                     static_cast<std::uint64_t>(settings.seed), take, stop);
      },
      [this](const std::string&) { Q_EMIT continued(); });
}

void SequenceBridge::score(std::int64_t sequences) {
  if (!m_session) return;
  run(
      Job::Scoring,
      [this, session = m_session, sequences](const MailPointer& mail, const std::stop_token& stop) {
        return session->evaluate(SequenceSplit::Validation, sequences, reporter(mail), stop);
      },
      [this](const SequenceScore& score) { Q_EMIT scored(score); });
}

template <typename Sequence>
void SequenceBridge::lookAt(Sequence sequence, int layer) {
  if (!m_session) return;
  run(
      Job::Looking,
      [session = m_session, sequence = std::move(sequence), layer](
          const MailPointer&, const std::stop_token&) { return session->infer(sequence, layer); },
      [this](SequenceMaps maps) {
        Q_EMIT looked(std::make_shared<const SequenceMaps>(std::move(maps)));
      });
}

void SequenceBridge::infer(const Image& image, const SequenceLookSettings& settings) {
  lookAt(image, settings.layer);
}

void SequenceBridge::infer(const QByteArray& text, const SequenceLookSettings& settings) {
  lookAt(text.toStdString(), settings.layer);
}

void SequenceBridge::cancel() {
  m_stop.request_stop();
}

// --- What a job says while it goes on ----------------------------------------------------------

ProgressCallback SequenceBridge::reporter(const MailPointer& mail) {
  return [this, mail](const Progress& progress) {
    {
      const std::lock_guard lock(mail->mutex);
      mail->progress = progress;
    }
    post(mail);
  };
}

void SequenceBridge::post(const MailPointer& mail) {
  {
    const std::lock_guard lock(mail->mutex);
    if (std::exchange(mail->woken, true)) return;
  }
  callInThread(this, [this, mail] {
    if (mail == m_mail) m_takingMail.wake();
  });
}

void SequenceBridge::takeMail() {
  if (!m_mail) return;
  std::optional<Progress> progress;
  std::string bytes;
  {
    const std::lock_guard lock(m_mail->mutex);
    progress.swap(m_mail->progress);
    bytes.swap(m_mail->bytes);
    m_mail->woken = false;
  }
  if (progress) Q_EMIT progressed(*progress);
  if (!bytes.empty()) Q_EMIT bytesArrived(QByteArray::fromStdString(bytes));
}

void SequenceBridge::setJob(Job job) {
  if (job == m_job) return;
  m_job = job;
  Q_EMIT jobChanged();
}

void SequenceBridge::notify(Job job, const Error& error) {
  const QString text = QString::fromStdString(error.text());
  if (job == Job::Opening)
    Q_EMIT openFailed(text);
  else if (error.code == ErrorCode::Canceled)
    Q_EMIT canceled(job);
  else
    Q_EMIT failed(job, text);
}

}  // namespace headlight
