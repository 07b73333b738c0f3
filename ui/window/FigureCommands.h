// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What leaves the window as a picture: the tab as a figure in a file, or as it is in the clipboard.

#include <QObject>

#include "core/base/Result.h"

class QAction;

namespace headlight {

class BackgroundTask;
class Document;
class EvolutionBridge;
class FigurePageCommand;
class GalleryDock;
class ModelWorker;
class PictureTabs;
class Workspaces;
struct FigureRequest;

class FigureCommands : public QObject {
  Q_OBJECT
 public:
  FigureCommands(Document* document, PictureTabs* tabs, const Workspaces* workspaces,
                 QWidget* window);

  QAction* exportAction() const { return m_export; }
  QAction* copyAction() const { return m_copy; }
  /// Of the number that heads show, in the menu of views.
  QAction* headsAction() const { return m_heads; }
  /// Of the run whose recording that is, in the menu of training.
  QAction* filmAction() const { return m_film; }
  void setEvolution(const EvolutionBridge* evolution);  ///< once
  /// A page of pictures × heads and methods, in the menu of files. `file`: where it is kept.
  QAction* makePages(ModelWorker* look, GalleryDock* gallery, const QString& file);  ///< once

 Q_SIGNALS:
  void failed(const QString& title, const QString& text);
  void activityChanged(const QString& text);  ///< "Drawing a.png…"; empty when it is done

 private:
  Result<FigureRequest> capture() const;
  void choose();
  void choosePath(const FigureRequest& request);
  QByteArray sessionNow() const;
  void write(const FigureRequest& request);
  void copyPicture();
  void saveFilm();
  void showHeads();
  void refresh();

  Document* m_document;
  PictureTabs* m_tabs;
  const Workspaces* m_workspaces;
  QWidget* m_window;
  BackgroundTask* m_writer;
  int m_width = 0, m_dpi = 0;  ///< as chosen last; 0: never
  const EvolutionBridge* m_evolution = nullptr;
  QAction *m_export, *m_copy, *m_film, *m_heads;
};

}  // namespace headlight
