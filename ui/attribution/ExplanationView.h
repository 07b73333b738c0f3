// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The page Explain: the chosen explanation of the prediction, as a heatmap, colors or curves.

#include <QList>
#include <QWidget>

#include "ui/attribution/ExplanationImage.h"

class QAction;
class QCheckBox;
class QComboBox;
class QLabel;
class QSpinBox;
class QStackedWidget;
class QToolButton;

namespace headlight {

class ModelWorker;
class ObjectOptionsButton;
class ProgressLine;
class RunCurvesPlot;
class ExplanationBridge;
struct FaithfulnessTable;

class ExplanationView : public QWidget {
  Q_OBJECT
 public:
  ExplanationView(Document* document, ModelWorker* inference, QWidget* parent = nullptr);

  ExplanationImage* image() const { return m_image; }
  ExplanationBridge* bridge() const { return m_bridge; }
  /// A command for each method; `chosen` is emitted when one runs.
  QList<QAction*> commands() const { return m_commands; }
  /// Feature PCA of these images together with the image shown.
  void showTogether(const QStringList& paths);

 Q_SIGNALS:
  void chosen();  ///< a method was chosen by its command: show the page

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
  void showJudgment(const FaithfulnessTable& table);

  Document* m_document;
  ExplanationBridge* m_bridge;
  QComboBox *m_explanations, *m_classes;
  QLabel *m_classLabel, *m_layerLabel, *m_state;
  QSpinBox* m_layer;
  QCheckBox* m_foreground;
  ProgressLine* m_progress;
  ObjectOptionsButton* m_objects;
  QToolButton *m_alone, *m_judge;
  QStackedWidget* m_pages;
  ExplanationImage* m_image;
  RunCurvesPlot* m_depth;
  QList<QAction*> m_commands;
};

}  // namespace headlight
