// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Commands that measure over many images in their own dialogs: attention by offset, and
// which heatmaps are faithful; what causes a prediction; and where queries and keys lie.

#include <QList>
#include <QObject>
#include <QPointer>

#include "ui/evaluation/ImageChoice.h"

class QAction;

namespace headlight {

class AveragesDialog;
class Document;
class GalleryDock;
class ModelWorker;

class AverageCommands : public QObject {
  Q_OBJECT
 public:
  /// `gallery`: where images are chosen, and selected by what is brushed.
  AverageCommands(Document* document, ModelWorker* inference, GalleryDock* gallery,
                  QWidget* window);

  /// For the View menu.
  const QList<QAction*>& commands() const { return m_commands; }

 private:
  GalleryPaths galleryPaths() const;
  template <typename Dialog>
  void show(QPointer<AveragesDialog>& dialog, bool atOnce);
  void refresh();

  Document* m_document;
  ModelWorker* m_inference;
  GalleryDock* m_gallery;
  QWidget* m_window;
  QPointer<AveragesDialog> m_relative, m_heads, m_faithfulness, m_interventions,
      m_queryKeys;  ///< null until they are wanted
  QAction *m_showRelative, *m_showHeads, *m_showFaithfulness, *m_showInterventions,
      *m_showQueryKeys;
  QList<QAction*> m_commands;
};

}  // namespace headlight
