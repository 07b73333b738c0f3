// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What is opened by menu: files and folders, a model of one's choice, the demo model, weights. What
// becomes of a file is Opener's.

#include <QList>
#include <QObject>
#include <QPointer>

#include "ui/widgets/NoticeBar.h"

class QAction;

namespace headlight {

class Document;
class GalleryModel;
class GetModelDialog;
class ModelWorker;
class LocalModelsDialog;
class Opener;

class OpeningCommands : public QObject {
  Q_OBJECT
 public:
  OpeningCommands(Document* document, ModelWorker* inference, Opener* opener, GalleryModel* gallery,
                  QWidget* window);

  /// Open, choose a model, open the demo: for a window with nothing in it.
  QList<QAction*> startCommands() const;
  const QList<QAction*>& fileCommands() const { return m_fileCommands; }
  const QList<QAction*>& modelCommands() const { return m_modelCommands; }

  void chooseFiles();
  void chooseFolder();
  void chooseModel();
  void chooseLocalModel();  ///< of those on this computer
  void chooseModelIn(const QString& folder);
  void chooseClassNames();
  void chooseResolution();
  void choosePrompts();
  GetModelDialog* getModel();  ///< published weights, to be downloaded; beside the window
  /// The demo model, or a small random one that says so; with the gallery's first image where
  /// none is open.
  void openDemo();
  void chooseWeights();
  void saveWeights();

 Q_SIGNALS:
  void notice(const headlight::Notice& notice);

 private:
  void makeFileCommands();
  void makeModelCommands();
  void openScenes();
  void openStandIn();
  void showModels(LocalModelsDialog* dialog);
  void refresh();
  void refreshPrompts();

  Document* m_document;
  ModelWorker* m_inference;
  Opener* m_opener;
  GalleryModel* m_gallery;
  QWidget* m_window;
  QList<QAction*> m_fileCommands, m_modelCommands;
  QPointer<GetModelDialog> m_getting;
  QAction *m_load = nullptr, *m_save = nullptr, *m_classNames = nullptr, *m_resolution = nullptr,
          *m_prompts = nullptr;
};

}  // namespace headlight
