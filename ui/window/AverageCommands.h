// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Commands that measure over many images in their own dialogs: attention by offset, and
// which heatmaps are faithful.

#include <QList>
#include <QObject>
#include <QPointer>

#include "ui/evaluation/ImageChoice.h"

class QAction;
class QListView;

namespace headlight {

class AveragesDialog;
class Document;
class ModelWorker;

class AverageCommands : public QObject {
  Q_OBJECT
 public:
  /// `gallery`: the list that images are chosen in.
  AverageCommands(Document* document, ModelWorker* inference, QListView* gallery, QWidget* window);

  /// For the View menu.
  const QList<QAction*>& commands() const { return m_commands; }

 private:
  GalleryPaths galleryPaths() const;
  template <typename Dialog>
  void show(QPointer<AveragesDialog>& dialog, bool atOnce);
  void refresh();

  Document* m_document;
  ModelWorker* m_inference;
  QListView* m_gallery;
  QWidget* m_window;
  QPointer<AveragesDialog> m_relative, m_heads, m_faithfulness;  ///< null until they are wanted
  QAction *m_showRelative, *m_showHeads, *m_showFaithfulness;
  QList<QAction*> m_commands;
};

}  // namespace headlight
