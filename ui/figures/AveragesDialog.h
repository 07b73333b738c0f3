// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Base of dialogs that average over images: the choice of images, a button that measures and stops,
// progress, and saving the result. Not modal: the window stays usable.

#include <QDialog>

#include <functional>

#include "core/workbench/evaluation/ImageSource.h"
#include "ui/document/Document.h"
#include "ui/evaluation/ImageChoice.h"
#include "ui/widgets/ProgressTask.h"

class QPushButton;
class QVBoxLayout;

namespace headlight {

class ModelWorker;
class MessageLabel;
class ProgressLine;

/// Selects those of these images that the gallery lists; returns how many.
using SelectInGallery = std::function<int(const QStringList& paths)>;

/// The open document, and the images to measure on.
struct AveragesParts {
  Document* document;
  ModelWorker* inference;
  GalleryPaths gallery;
  SelectInGallery selectInGallery = {};  ///< empty: there is none
};

class AveragesDialog : public QDialog {
  Q_OBJECT
 public:
  ImageChoice* images() const { return m_images; }
  QPushButton* measureButton() const { return m_measure; }
  QPushButton* saveButton() const { return m_save; }
  MessageLabel* status() const { return m_status; }
  bool isBusy() const { return m_task.isBusy(); }
  /// Starts the measurement; stops a running one.
  void measureOrStop();

 protected:
  /// Derived classes fill body() before finish().
  AveragesDialog(const AveragesParts& parts, QWidget* parent);
  QVBoxLayout* body() const { return m_body; }
  void finish();

  Document* document() const { return m_document; }
  virtual void measure() = 0;
  virtual void save() = 0;
  virtual bool hasResult() const = 0;
  virtual void forget() = 0;  ///< another model is open
  void refresh();             ///< the buttons

  template <typename R>
  using Measure =
      std::function<Result<R>(InferenceSession& session, const ImageSource& feed,
                              const MaskScheme& masks, const ProgressCallback&, std::stop_token)>;
  /// For measure(). `done` runs in the window's thread; errors are shown.
  template <typename R>
  void run(Measure<R> work, std::function<void(const R&)> done) {
    m_task.run<Result<R>>(
        [session = session(), chosen = m_images->chosen(), masks = m_document->inputs().masks(),
         work = std::move(work)](const ProgressCallback& notify,
                                 std::stop_token stop) -> Result<R> {
          const auto open = session();
          if (!open) return Error{ErrorCode::Canceled, "no model is open", ""};
          const auto feed = makeImageSource(open, chosen);
          if (!feed) return feed.error();
          return work(*open, *feed, masks, notify, stop);
        },
        [this, done = std::move(done)](Result<R> result) {
          if (result)
            done(*result);
          else
            reportError(result.error());
          refresh();
        });
  }

 private:
  std::function<std::shared_ptr<InferenceSession>()> session() const;
  void reportError(const Error& error);
  void onModel();

  Document* m_document;
  ModelWorker* m_inference;
  ImageChoice* m_images;
  QPushButton *m_measure, *m_save = nullptr;
  ProgressLine* m_progress;
  MessageLabel* m_status;
  QVBoxLayout* m_body;
  ProgressTask m_task;  // last: it stops before its receivers are destroyed
};

}  // namespace headlight
