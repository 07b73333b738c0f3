// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What masks do on a data set, in the window: the pictures that are measured on, the line, the
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

class CastleDialog;
class ClassReportDialog;
class EffectLine;

class EffectController : public QObject {
  Q_OBJECT
 public:
  EffectController(Document* document, ModelWorker* look, QWidget* window);

  MaskEffectBridge* bridge() { return &m_bridge; }
  HeadValuesBridge* heads() { return &m_heads; }
  SimilarityBridge* layers() { return &m_layers; }
  /// Where what is measured is kept; an empty folder: as long as the window lives.
  void keepIn(const std::filesystem::path& folder);
  EffectLine* line() const { return m_line; }
  /// Choosing the data and showing the pictures, for the Masks menu.
  const QList<QAction*>& commands() const { return m_commands; }
  /// Castling, for the Model menu.
  const QList<QAction*>& modelCommands() const { return m_modelCommands; }

 Q_SIGNALS:
  void openRequested(const QString& path);  ///< of a model that was saved here

 private:
  void makeMaskCommands();
  void refreshCastle();
  void showCastle();
  void onModel();
  void setSample(const std::optional<PictureSample>& sample);
  void chooseData();
  void matchBy(const ClassMatching& matching);
  void chooseClassMap();
  void showPictures();
  void showClasses();

  Document* m_document;
  ModelWorker* m_look;
  QWidget* m_window;
  MaskEffectBridge m_bridge;
  HeadValuesBridge m_heads;
  SimilarityBridge m_layers;
  std::shared_ptr<const ResultCache> m_shelf;
  bool m_chosen = false;  ///< the data, by a person
  EffectLine* m_line;
  QPointer<ClassReportDialog> m_classes;  ///< null until it is wanted
  QPointer<CastleDialog> m_castleDialog;  ///< likewise
  QList<QAction*> m_commands, m_modelCommands;
  QAction* m_castle = nullptr;
};

}  // namespace headlight
