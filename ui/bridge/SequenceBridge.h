// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The way from the window to a trained sequence model. Owns the thread that opens it and draws from
// it; one job at a time, a new one ends the one before. Results arrive as signals, what comes bit
// by bit at most 30 times a second. Every function returns at once.

#include <QByteArray>
#include <QObject>
#include <QString>

#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

#include "core/workbench/sequences/SequenceSession.h"
#include "ui/base/WorkerThread.h"
#include "ui/bridge/Throttle.h"
#include "ui/document/SequenceSettings.h"

namespace headlight {

/// The model that is open.
struct SequenceModelInfo {
  SequenceExperiment experiment;
  QString weights;  ///< the file that was read
  std::int64_t parameters = 0;
};

/// An image as the model sees it, and with its lower rows drawn anew.
struct CompletedImage {
  Image view;
  int kept = 0;  ///< rows from the top
  std::vector<Image> samples;
  CompletionSettings settings;  ///< that they were drawn with
};

class SequenceBridge : public QObject {
  Q_OBJECT
 public:
  enum class Job { None, Opening, Viewing, Completing, Continuing, Scoring, Looking };

  explicit SequenceBridge(QObject* parent = nullptr);
  /// Stops what goes on and joins its thread.
  ~SequenceBridge() override;

  /// A run's folder or weights: modelChanged, or openFailed and the model stays as it is.
  void open(const QString& path);
  const std::optional<SequenceModelInfo>& model() const { return m_model; }

  // Each ends in its signal, in failed or in canceled. Ignored without a model.
  void view(const Image& image);
  void complete(const Image& image, const CompletionSettings& settings);
  void continueText(const QString& prompt, const ContinuationSettings& settings);
  /// The attention of a layer in an image or a text.
  void infer(const Image& image, const SequenceLookSettings& settings);
  void infer(const QByteArray& text, const SequenceLookSettings& settings);
  /// Bits a byte on at most `sequences` of the validation split of the model's own data.
  void score(std::int64_t sequences);

  void cancel();
  Job job() const { return m_job; }
  bool isBusy() const { return m_job != Job::None; }
  /// Whether a new job would lose what the person waits for: a drawing or a measurement.
  bool isWorking() const {
    return m_job == Job::Completing || m_job == Job::Continuing || m_job == Job::Scoring;
  }

 Q_SIGNALS:
  void jobChanged();
  void modelChanged();
  void openFailed(const QString& text);
  void viewed(const headlight::Image& view);
  void progressed(const headlight::Progress& progress);
  void completed(std::shared_ptr<const headlight::CompletedImage> image);
  void bytesArrived(const QByteArray& bytes);
  void continued();
  void scored(const headlight::SequenceScore& score);
  void looked(std::shared_ptr<const headlight::SequenceMaps> maps);
  /// `job`: the one that ended so; of Opening there is openFailed.
  void failed(headlight::SequenceBridge::Job job, const QString& text);
  void canceled(headlight::SequenceBridge::Job job);

 private:
  /// What a job says while it goes on; it outlives the job's being of interest.
  struct Mail;
  using MailPointer = std::shared_ptr<Mail>;

  template <typename Work, typename Done>
  void run(Job job, Work work, Done done);
  template <typename Sequence>
  void lookAt(Sequence sequence, int layer);
  ProgressCallback reporter(const MailPointer& mail);
  void post(const MailPointer& mail);  ///< called from the thread: there is something new
  void takeMail();
  void setJob(Job job);
  void notify(Job job, const Error& error);
  void opened(std::shared_ptr<SequenceSession> session, SequenceModelInfo info);

  std::shared_ptr<SequenceSession> m_session;
  std::optional<SequenceModelInfo> m_model;
  Job m_job = Job::None;
  MailPointer m_mail;  ///< of the job that counts
  std::stop_source m_stop;
  Throttle m_takingMail;
  WorkerThread m_worker;  // last: joined first
};

}  // namespace headlight
