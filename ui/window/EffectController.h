// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The effect of masks on a dataset, in the window: the images that are measured on, the line, the
// page.

#include <QAction>
#include <QList>
#include <QObject>
#include <QPointer>

#include <filesystem>
#include <memory>

#include "ui/bridge/HeadValuesBridge.h"
#include "ui/bridge/MaskEffectBridge.h"
#include "ui/bridge/SimilarityBridge.h"

namespace headlight {

class DropBranchDialog;
class ClassReportDialog;
class EffectLine;
class ReconstructionDialog;

class EffectController : public QObject {
  Q_OBJECT
 public:
  EffectController(Document* document, ModelWorker* inference, QWidget* window);

  MaskEffectBridge* bridge() { return &m_bridge; }
  HeadValuesBridge* heads() { return &m_heads; }
  SimilarityBridge* layers() { return &m_layers; }
  /// The folder of cached results; empty: results live as long as the window.
  void keepIn(const std::filesystem::path& folder);
  EffectLine* line() const { return m_line; }
  /// Choosing the data and showing the images, for the Masks menu.
  const QList<QAction*>& commands() const { return m_commands; }
  /// Dropping the auxiliary branch and reconstructing the image, for the Model menu.
  const QList<QAction*>& modelCommands() const { return m_modelCommands; }

 Q_SIGNALS:
  void openRequested(const QString& path);  ///< of a model that was saved here

 private:
  void makeMaskCommands();
  void refreshDropBranch();
  void showDropBranch();
  void makeReconstruct();
  void refreshReconstruct();
  void showReconstruction();
  void onModel();
  void setSample(const std::optional<ImageSample>& sample);
  void chooseData();
  void matchBy(const ClassMatching& matching);
  void chooseClassMap();
  void showImages();
  void showClasses();

  Document* m_document;
  ModelWorker* m_inference;
  QWidget* m_window;
  MaskEffectBridge m_bridge;
  HeadValuesBridge m_heads;
  SimilarityBridge m_layers;
  std::shared_ptr<const ResultCache> m_shelf;
  bool m_chosen = false;  ///< the data, by a person
  EffectLine* m_line;
  QPointer<ClassReportDialog> m_classes;          ///< null until it is wanted
  QPointer<DropBranchDialog> m_dropBranchDialog;  ///< likewise
  QPointer<ReconstructionDialog> m_reconstructionDialog;
  QList<QAction*> m_commands, m_modelCommands;
  QAction *m_dropBranch = nullptr, *m_reconstruct = nullptr;
};

}  // namespace headlight
