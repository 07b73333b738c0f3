// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Handles a file or folder that is dropped on the window, chosen in a dialog or named on
// the command line: ImageBridge says what it is, this says what becomes of it.

#include <QObject>
#include <QSet>
#include <QStringList>

#include <functional>
#include <memory>

#include "core/config/Experiment.h"
#include "core/workbench/session/InferenceSession.h"
#include "ui/document/Session.h"
#include "ui/widgets/NoticeBar.h"

namespace headlight {

class BackgroundTask;
class Document;
class GalleryModel;
class ImageBridge;
class ModelWorker;
enum class InputKind;
struct FileFinding;
struct KnownTruth;

class Opener : public QObject {
  Q_OBJECT
 public:
  static constexpr int kMaxPaths = 5000;  ///< of one drop

  Opener(Document* document, ModelWorker* inference, ImageBridge* images, GalleryModel* gallery,
         QWidget* window);

  /// Any mix of images, folders, checkpoints, configs, mask schemes and sessions. The first
  /// image is opened, all are added to the gallery.
  void open(const QStringList& paths);
  /// Adds to the gallery without opening anything.
  void addToGallery(const QStringList& paths);
  void openImage(const QString& path);
  /// The report first; the weights are replaced when the person agrees.
  void loadWeights(const QString& path);
  bool isBusy() const;

 Q_SIGNALS:
  /// The person opens something; before anything comes of it.
  void opening();
  /// What open() was asked for and is something; before anything is done about it.
  void found(headlight::InputKind kind, const QString& path);
  void notice(const headlight::Notice& notice);
  void sessionFound(const headlight::Session& session, const QString& path);
  /// Settings of a config that is not about the model: for the training dialog.
  void settingsFound(const headlight::Experiment& experiment);
  void dataFound(const QString& kind, const QString& folder);
  void runFound(const QString& folder);
  void runsFound(const QString& folder);    ///< a folder with runs in it
  void modelsFound(const QString& folder);  ///< a folder with models in it, of which to choose one
  /// A run's folder, weights or a config of a sequence model.
  void sequenceFound(const QString& path);

 private:
  void loadImage(const QString& path);
  void onInspected(const FileFinding& finding);
  void onImage(const FileFinding& finding);
  void onImageLoaded(const Image& image, const QString& name, const QString& path,
                     std::shared_ptr<const KnownTruth> truth);
  void onFolder(const FileFinding& finding);
  bool takeModelsOrRuns(const FileFinding& finding);
  void onConfig(const FileFinding& finding);
  void onMasks(const QString& path);
  void onSession(const FileFinding& finding);
  void onCheckpoint(const FileFinding& finding);
  /// In place of the open model.
  void openWeights(const QString& path);
  void sayChoices(const QString& path);
  void onMaps(const FileFinding& finding);
  void showMaps();
  void onReport(const QString& path, const LoadReport& report, bool ownModel);
  void onPart(const QString& what, const LoadReport& report,
              const std::function<void()>& openAnyway, const std::function<void()>& openOwn);
  void onMisfit(const QString& what, const QString& error, const std::function<void()>& openOwn);
  /// As an edit that can be undone. Errors: masks that do not fit the model; nothing changes.
  Result<void> applyMasks(const Result<MaskScheme>& scheme, const QString& label);
  void notify(Notice::Level level, const QString& title, const QString& text,
              Notice::Abouts about = Notice::File);

  Document* m_document;
  ModelWorker* m_inference;
  ImageBridge* m_images;
  GalleryModel* m_gallery;
  QWidget* m_window;
  BackgroundTask* m_masksReader;
  QSet<QString> m_quiet;       ///< being inspected for the gallery only
  bool m_imageOpened = false;  ///< by the present open()
};

}  // namespace headlight
