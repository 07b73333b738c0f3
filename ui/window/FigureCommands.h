// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Exports the tab as a figure, or copies it to the clipboard.

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
class ImageTabs;
class Workspaces;
struct FigureRequest;

class FigureCommands : public QObject {
  Q_OBJECT
 public:
  FigureCommands(Document* document, ImageTabs* tabs, const Workspaces* workspaces,
                 QWidget* window);

  QAction* exportAction() const { return m_export; }
  QAction* copyAction() const { return m_copy; }
  /// The figure of the shown head metric, in the View menu.
  QAction* headsAction() const { return m_heads; }
  /// The film of a recorded run, in the Train menu.
  QAction* filmAction() const { return m_film; }
  void setEvolution(const EvolutionBridge* evolution);  ///< once
  /// A page of images × heads and methods, in the menu of files. `file`: where it is kept.
  QAction* makePages(ModelWorker* inference, GalleryDock* gallery, const QString& file);  ///< once

 Q_SIGNALS:
  void failed(const QString& title, const QString& text);
  void activityChanged(const QString& text);  ///< "Drawing a.png…"; empty when it is done

 private:
  Result<FigureRequest> capture() const;
  void choose();
  void choosePath(const FigureRequest& request);
  QByteArray sessionNow() const;
  void write(const FigureRequest& request);
  void copyImage();
  void saveFilm();
  void showHeads();
  void refresh();

  Document* m_document;
  ImageTabs* m_tabs;
  const Workspaces* m_workspaces;
  QWidget* m_window;
  BackgroundTask* m_writer;
  int m_width = 0, m_dpi = 0;  ///< as chosen last; 0: never
  const EvolutionBridge* m_evolution = nullptr;
  QAction *m_export, *m_copy, *m_film, *m_heads;
};

}  // namespace headlight
