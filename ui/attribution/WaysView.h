#pragma once
// Other ways of looking than attention: what speaks for a class, what patches have in common, the
// prediction by depth; with the choice between them.

#include <QList>
#include <QWidget>

#include "core/workbench/attribution/WaysOfLooking.h"
#include "ui/canvas/PictureView.h"

class QAction;
class QCheckBox;
class QComboBox;
class QLabel;
class QSpinBox;
class QStackedWidget;
class QToolButton;

namespace headlight {

class LookBridge;
class ProgressLine;
class RunCurvesPlot;
class WaysBridge;
struct FaithfulnessTable;
struct WayResult;

/// A heatmap over the picture, or the colours of its features in its place. With similarity, the
/// patch under the pointer looks, and a click pins it.
class WayPicture : public PictureView {
  Q_OBJECT
 public:
  WayPicture(Document* document, WaysBridge* bridge, QWidget* parent);
  Legend legend() const { return currentLegend(); }
  /// That is shown; nothing where colours or nothing are.
  std::optional<Heat> heat() const;

 protected:
  std::optional<MapLayer> currentMap() const override;
  Legend currentLegend() const override;
  QString legendNote() const override;
  QString hint() const override;
  void paintMarks(QPainter& painter) override;
  void patchPressed(int patch) override;
  void patchHovered(int patch) override;

 private:
  bool isSimilarity() const;

  WaysBridge* m_bridge;
  mutable QImage m_colors;  ///< painted last
  mutable std::shared_ptr<const WayResult> m_colorsOf;
};

class WaysView : public QWidget {
  Q_OBJECT
 public:
  WaysView(Document* document, LookBridge* look, QWidget* parent = nullptr);

  WayPicture* picture() const { return m_picture; }
  WaysBridge* bridge() const { return m_bridge; }
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
  WaysBridge* m_bridge;
  QComboBox *m_ways, *m_classes;
  QLabel *m_classLabel, *m_layerLabel, *m_state;
  QSpinBox* m_layer;
  QCheckBox* m_foreground;
  ProgressLine* m_progress;
  QToolButton *m_alone, *m_judge;
  QStackedWidget* m_pages;
  WayPicture* m_picture;
  RunCurvesPlot* m_depth;
  QList<QAction*> m_commands;
};

}  // namespace headlight
