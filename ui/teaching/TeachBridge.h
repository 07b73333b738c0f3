// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Teaches the open model classes in the background (Adapt.h). After that it follows mask edits: the
// features are computed again, and what that does to the accuracy is known.

#include <QObject>
#include <QTimer>

#include <filesystem>
#include <memory>
#include <optional>

#include "core/workbench/adapt/Adapt.h"
#include "ui/base/BackgroundTask.h"

namespace headlight {

class Document;
class ModelWorker;

class TeachBridge : public QObject {
  Q_OBJECT
 public:
  static constexpr int kSettledMs = 400;  ///< after the last edit

  TeachBridge(Document* document, ModelWorker* inference, QObject* parent = nullptr);

  /// Fits to the features under the document's masks; supersedes what goes on.
  void teach(const AdaptRequest& request);
  /// What was computed is kept.
  void stop();
  /// Makes the classifier that of the open model.
  void use();
  /// The open model was saved there and is opened from there next: results stay known.
  void expectSaved(const std::filesystem::path& file) { m_saved = file; }
  /// Off: what goes on is stopped, and mask edits are measured only once it is on again.
  void setFollowing(bool on);

  using Known = std::shared_ptr<const AdaptReport>;
  const Known& taught() const { return m_taught; }  ///< null: nothing yet
  /// Under the document's masks, after edits; null: they are those that were taught under.
  const Known& edited() const { return m_edited; }
  const AdaptRequest& request() const { return m_request; }
  bool isUsed() const { return m_used; }  ///< the open model has the classifier

  bool isBusy() const { return m_task.isBusy(); }
  const Progress& progress() const { return m_progress; }
  const QString& problem() const { return m_problem; }

 Q_SIGNALS:
  void changed();
  void finished();  ///< teach() ended with a result

 private:
  void onModel();
  void settle();
  void measureEdit();
  void run(const AdaptRequest& request, void (TeachBridge::*take)(const Known&));
  void takeTaught(const Known& report);
  void takeEdited(const Known& report);

  Document* m_document;
  ModelWorker* m_inference;
  AdaptRequest m_request;
  MaskScheme m_masks;  ///< that were taught under
  Known m_taught, m_edited;
  QTimer m_settled;
  Progress m_progress;
  QString m_problem;
  std::filesystem::path m_saved;
  bool m_using = false, m_used = false, m_following = true;
  BackgroundTask m_task;
};

}  // namespace headlight
