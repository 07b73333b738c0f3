// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Other ways of looking than attention: what speaks for a class, what patches have in common, the
// prediction by depth; with the choice between them.

#include <QList>
#include <QWidget>

#include "core/workbench/attribution/Explanations.h"
#include "ui/canvas/PictureView.h"

class QAction;
class QCheckBox;
class QComboBox;
class QLabel;
class QSpinBox;
class QStackedWidget;
class QToolButton;

namespace headlight {

class ModelWorker;
class ProgressLine;
class RunCurvesPlot;
class ExplanationBridge;
struct FaithfulnessTable;
struct ExplanationResult;

/// A heatmap over the picture, or the colours of its features in its place. With similarity, the
/// patch under the pointer looks, and a click pins it.
class ExplanationImage : public PictureView {
  Q_OBJECT
 public:
  ExplanationImage(Document* document, ExplanationBridge* bridge, QWidget* parent);
  Legend legend() const { return currentLegend(); }
  /// That is shown; nothing where colours or nothing are.
  std::optional<Heatmap> heat() const;

 protected:
  std::optional<MapOverlay> currentMap() const override;
  Legend currentLegend() const override;
  QString legendNote() const override;
  QString hint() const override;
  void paintMarks(QPainter& painter) override;
  void patchPressed(int patch) override;
  void patchHovered(int patch) override;

 private:
  bool isSimilarity() const;

  ExplanationBridge* m_bridge;
  mutable QImage m_colors;  ///< painted last
  mutable std::shared_ptr<const ExplanationResult> m_colorsOf;
};

class ExplanationView : public QWidget {
  Q_OBJECT
 public:
  ExplanationView(Document* document, ModelWorker* look, QWidget* parent = nullptr);

  ExplanationImage* picture() const { return m_picture; }
  ExplanationBridge* bridge() const { return m_bridge; }
  /// Each way, for the palette; `shown` is run where one is chosen.
  QList<QAction*> commands() const { return m_commands; }
  /// Feature colours of these pictures together with the one that is shown.
  void showTogether(const QStringList& paths);

 Q_SIGNALS:
  void chosen();  ///< a way was chosen by its command: show the page

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  void makeCommands();
  void choose(const QString& name);
  void fillClasses();
  void chooseClass();
  int onlyWith(const QString& part) const;
  void readView();
  void request();
  void refresh();
  void refreshDepth();
  void showJudgement(const FaithfulnessTable& table);

  Document* m_document;
  ExplanationBridge* m_bridge;
  QComboBox *m_ways, *m_classes;
  QLabel *m_classLabel, *m_layerLabel, *m_state;
  QSpinBox* m_layer;
  QCheckBox* m_foreground;
  ProgressLine* m_progress;
  QToolButton *m_alone, *m_judge;
  QStackedWidget* m_pages;
  ExplanationImage* m_picture;
  RunCurvesPlot* m_depth;
  QList<QAction*> m_commands;
};

}  // namespace headlight
