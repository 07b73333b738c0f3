// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The way from the window to the loaded model. Owns the thread on which the InferenceSession lives;
// puts results into the Document. Every function returns at once.

#include <QElapsedTimer>
#include <QObject>
#include <QString>

#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>

#include "core/workbench/adapt/LinearHead.h"
#include "core/workbench/session/InferenceSession.h"
#include "ui/base/WorkerThread.h"
#include "ui/document/Document.h"

namespace headlight {

class ModelWorker : public QObject {
  Q_OBJECT
 public:
  /// Runs the model by itself whenever the document's model, image or masks change.
  explicit ModelWorker(Document* document, QObject* parent = nullptr);
  ~ModelWorker() override;

  /// Opens a model and gives it to the document; the one that is open stays until that succeeds.
  /// `whenOpen` runs in the window's thread after Document::setModel, only on success. Weights that
  /// would leave some of the model's random are asked about first (partlyFits), unless the source
  /// is `partial`.
  void openModel(const ModelSource& source, std::function<void()> whenOpen = {});
  /// A model with random weights.
  void createModel(const Experiment& experiment, std::function<void()> whenOpen = {});
  /// The model of a saved session. Weights that cannot be had any more are reported by
  /// Document::failed, and the model opens with random ones: its masks matter more. `partial`: as a
  /// source's.
  void restoreModel(const Experiment& experiment, const QString& weights,
                    std::function<void()> whenOpen = {}, bool partial = false,
                    const Prompts& prompts = {});
  /// The present model for images of another size (InferenceSession::atSize): its masks and the
  /// image stay.
  void resizeModel(int height, int width, const std::string& transparency = {});
  /// The present weights with prompts as classes (InferenceSession::withPrompts), or without any:
  /// its masks, the image and the view stay. `done` gets what went wrong, in the window's thread;
  /// an empty text: nothing.
  void setPrompts(const Prompts& prompts, std::function<void(const QString& problem)> done);
  /// The present weights with another classifier (withHead), which is kept in the folder of
  /// keepTaughtIn(), or notKept says why not; otherwise as setPrompts().
  void useHead(const LinearHead& head, const std::optional<DataConfig>& data,
               std::function<void(const QString& problem)> done);
  /// The folder where taught models lie until somebody saves them; empty: they are not kept.
  void keepTaughtIn(const std::filesystem::path& folder) { m_taughtFolder = folder; }
  /// Forgets about the model that is being opened: the present one stays.
  void cancelOpening();
  bool isOpening() const { return m_opening != 0; }
  const QString& activity() const { return m_activity; }

  /// Sets LibTorch up (threads, the warning about a slow BLAS), then computeDescribed.
  void configure(int threads);

  /// Previews a checkpoint on the present model: weightsPreviewed, or Document::failed.
  void previewWeights(const QString& path);
  /// Loads it, also in part, which its preview said: weightsLoaded, and the document's ModelInfo is
  /// renewed (masks are kept).
  void loadWeights(const QString& path);
  /// Names the model's classes by a file, or Document::failed.
  void nameClasses(const QString& path);
  /// Saves weights, class names and the document's masks: saved, or Document::failed.
  void saveModel(const QString& path);

  /// Runs the model on the document's image under its masks; supersedes the run that is going on.
  void requestInference();

  /// A frame of a video: its result first, then image and result together, so that neither is
  /// shown without the other; without a model the image alone. `changing` is called with true while
  /// the document changes by it. `whenShown` gets false where something else was asked for
  /// meanwhile, and the document has not changed.
  void showFrame(const Image& image, const QString& name, const QString& path,
                 std::function<void(bool)> changing, std::function<void(bool)> whenShown);

  /// From now on results come from the weights of a training run (a second model, so the loaded one
  /// stays as it is). False: it is a run of a model that canLookThrough refuses, which is said.
  bool adopt(const Experiment& experiment, std::shared_ptr<const ModelSnapshot> snapshot);
  /// What the window says about maps, heads and patches is about `shown`, the document's model: a
  /// run of another mechanism has other maps, even with as many heads and patches.
  static bool canLookThrough(const ModelConfig& run, const ModelConfig& shown);
  /// Back to the loaded model.
  void releaseTraining();
  bool isLookingThroughTraining() const { return m_throughTraining; }

  /// The session that makes results, asked in any other thread than the window's: it waits for
  /// what the bridge's thread is at. Null: no model is open.
  std::function<std::shared_ptr<InferenceSession>()> session();

 Q_SIGNALS:
  /// `next` takes the place of the document's model, or of its weights: the last chance to keep
  /// what is there. Not for the first model, nor for weights that random ones make way for.
  void replacing(const headlight::ModelInfo& next);
  /// The current activity ("opening deit_tiny…"); empty when idle.
  void activityChanged(const QString& text);
  /// An opening ended without a model: an error (Document::failed was emitted), weights that fit in
  /// part (partlyFits was), or canceled.
  void openingFailed();
  /// `what` was not opened, as tensors of its model would be random; `openAnyway` opens it so.
  /// `openOwn` opens the weights as the model that they describe; empty where they describe none.
  void partlyFits(const QString& what, const headlight::LoadReport& report,
                  const std::function<void()>& openAnyway, const std::function<void()>& openOwn);
  /// `what` was not opened (`error` says why), but its weights describe a model of their own.
  void misfits(const QString& what, const QString& error, const std::function<void()>& openOwn);
  /// `ownModel`: they do not all fit, and describe a model of their own.
  void weightsPreviewed(const QString& path, const headlight::LoadReport& report, bool ownModel);
  void weightsLoaded(const QString& path, const headlight::LoadReport& report);
  void saved(const QString& path);
  /// A taught model is in use, but in no file: it is lost when the program ends.
  void notKept(const QString& title, const QString& text);
  void throughTrainingChanged(bool on);
  void computeDescribed(const QString& text);

 private:
  struct Sessions;  ///< touched by the worker thread only
  using Opened = Result<std::unique_ptr<InferenceSession>>;

  /// What a person may choose where weights do not fit.
  struct Misfit {
    std::function<void()> openAnyway;            ///< where they fit in part; empty: nobody asks
    std::filesystem::path weights;               ///< given beside a model; empty: none
    std::function<void(const QString&)> failed;  ///< in place of Document::failed
    /// It came to nothing: canceled, or another opening counts by now. Empty: nobody waits.
    std::function<void()> dropped;
  };
  /// Its view as it was, but for the query, which is of the new grid.
  std::function<void()> keepingView();
  void open(const QString& what, std::function<Opened()> opener, std::function<void()> whenOpen,
            Misfit misfit = {});
  /// Opens weights as the model that they describe; empty where they describe none. Reads them.
  std::function<void()> ownOpening(const std::filesystem::path& weights);
  void opened(int ticket, std::shared_ptr<InferenceSession> session,
              const std::function<void()>& whenOpen);
  void failedToOpen(int ticket, const QString& what, const Error& error,
                    const std::function<void()>& openOwn);
  void openedInPart(int ticket, const QString& what, const LoadReport& report, const Misfit& misfit,
                    const std::function<void()>& openOwn);
  bool endOpening(int ticket);
  void sayNotKept(const Error& error);
  void inferenceDone(int ticket, const std::shared_ptr<const Result<InferenceResult>>& result);
  void requestReference();
  void setFrame(const Image& image, const QString& name, const QString& path,
                const std::function<void(bool)>& changing);
  void setActivity(const QString& text);

  Document* m_document;
  std::filesystem::path m_taughtFolder;
  std::shared_ptr<Sessions> m_sessions;
  int m_openTicket = 0;
  int m_opening = 0;  ///< the ticket of the opening that counts; 0: none
  int m_inferenceTicket = 0;
  int m_runTicket = 0;  ///< of the run's weights that count: none that were let go meanwhile
  bool m_throughTraining = false;
  bool m_settingFrame = false;  ///< its result is there or requested
  std::stop_source m_inferenceStop;
  QString m_activity;
  QElapsedTimer m_clock;
  qint64 m_editedAt = -1;  ///< when the masks last changed and no result has followed, in ns
  WorkerThread m_worker;   // last: joined first
};

}  // namespace headlight
