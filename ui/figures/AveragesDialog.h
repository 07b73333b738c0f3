// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What dialogs that average over pictures have in common: which pictures, a button that measures
// and stops, how far it is, and saving what came of it. Not modal: the window stays usable.

#include <QDialog>

#include <functional>

#include "core/workbench/evaluation/ImageSource.h"
#include "ui/document/Document.h"
#include "ui/evaluation/PictureChoice.h"
#include "ui/widgets/ProgressTask.h"

class QPushButton;
class QVBoxLayout;

namespace headlight {

class ModelWorker;
class MessageLabel;
class ProgressLine;

/// What is open, and what to measure on.
struct AveragesParts {
  Document* document;
  ModelWorker* look;
  GalleryPaths gallery;
};

class AveragesDialog : public QDialog {
  Q_OBJECT
 public:
  PictureChoice* pictures() const { return m_pictures; }
  QPushButton* measureButton() const { return m_measure; }
  QPushButton* saveButton() const { return m_save; }
  MessageLabel* status() const { return m_status; }
  bool isBusy() const { return m_task.isBusy(); }
  /// Measures what is chosen; while that goes on, stops it.
  void measureOrStop();

 protected:
  /// What it shows goes into body() before finish().
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
  /// measure() calls it. `done` runs in the window's thread; errors are told.
  template <typename R>
  void run(Measure<R> work, std::function<void(const R&)> done) {
    m_task.run<Result<R>>(
        [session = session(), chosen = m_pictures->chosen(), masks = m_document->masks(),
         work = std::move(work)](const ProgressCallback& tell, std::stop_token stop) -> Result<R> {
          const auto open = session();
          if (!open) return Error{ErrorCode::Canceled, "no model is open", ""};
          const auto feed = feedOf(open, chosen);
          if (!feed) return feed.error();
          return work(*open, *feed, masks, tell, stop);
        },
        [this, done = std::move(done)](Result<R> result) {
          if (result)
            done(*result);
          else
            tellError(result.error());
          refresh();
        });
  }

 private:
  std::function<std::shared_ptr<InferenceSession>()> session() const;
  void tellError(const Error& error);
  void onModel();

  Document* m_document;
  ModelWorker* m_look;
  PictureChoice* m_pictures;
  QPushButton *m_measure, *m_save = nullptr;
  ProgressLine* m_progress;
  MessageLabel* m_status;
  QVBoxLayout* m_body;
  ProgressTask m_task;  // last: it stops before what it tells goes
};

}  // namespace headlight
