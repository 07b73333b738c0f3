// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// An image with a map over it: fitted or zoomed, the region outside the model's sight dimmed, a
// legend below. What the map is and what a click means is for subclasses to say.

#include <QImage>
#include <QPointer>
#include <QTimer>
#include <QWidget>

#include <optional>

#include "ui/canvas/ImagePainting.h"
#include "ui/canvas/MapPainting.h"
#include "ui/document/Document.h"

namespace headlight {

class AnalysisBridge;
class ImageViewInput;

/// Mouse and keys: ImageViewInput.h.
class ImageView : public QWidget {
  Q_OBJECT
 public:
  ImageView(Document* document, QWidget* parent);

  /// Screen pixels (device's) per image pixel.
  double zoom() const;
  bool isFitted() const { return m_fitted; }
  void fit();
  /// Keeps the image point under `about` (widget coordinates) where it is.
  void setZoom(double zoom, const QPointF& about);
  /// By so many widget units; no longer fitted.
  void moveImage(const QPointF& by);

  QRectF imageArea() const;  ///< the widget without the legend
  /// In widget coordinates; empty without an image and a model.
  QRectF regionRect() const;
  QRectF patchRect(int patch) const;
  /// The patch under a point; −1 outside the region.
  int patchAt(const QPointF& position) const;
  QPointF toWidget(const QPointF& imagePoint) const;
  QPointF toImage(const QPointF& position) const;

  /// A widget that may lie over the view: the notices. Legends in the image keep clear of it.
  void setCover(QWidget* cover);
  /// Where it lies, in widget coordinates; empty while it is hidden.
  QRectF coveredArea() const;

  /// How often the colored map was rebuilt: hovering and zooming must not rebuild it.
  int mapBuilds() const { return m_mapBuilds; }
  const std::optional<MapOverlay>& shownMap() const { return m_map; }
  Grid shownGrid() const;  ///< of the map, else of the model

  /// Marks this patch, with its value, as if the pointer were over it; −1: none. What the pointer
  /// does itself is told by pointed().
  void showPointed(int patch);
  int pointedPatch() const { return m_hovered; }
  /// What stands beside that patch; empty where there is none.
  QString pointedText() const { return m_hovered < 0 ? QString() : hoverText(m_hovered); }

  QSize sizeHint() const override { return {560, 420}; }
  QSize minimumSizeHint() const override { return {160, 120}; }

 Q_SIGNALS:
  void pointed(int patch);  ///< the pointer is over another patch; −1: over none

 protected:
  virtual std::optional<MapOverlay> currentMap() const = 0;
  virtual Legend currentLegend() const = 0;
  /// The note of that legend, whatever else it says: the legend's height depends on it.
  virtual QString legendNote() const { return {}; }
  /// Shown over the image's middle instead of silence; may be empty.
  virtual QString hint() const;
  /// Painted over the image, below the legend.
  virtual void paintMarks(QPainter&) {}
  virtual QString hoverText(int patch) const;
  QString patchText(int patch) const;  ///< "patch (3, 4)"
  /// After every reading of the map, whether it changed or not.
  virtual void mapTaken() {}
  virtual void patchPressed(int /*patch*/) {}
  /// The pointer is over another patch; −1: over none.
  virtual void patchHovered(int /*patch*/) {}
  /// Whether the map is the same for every image, so that none belongs under it.
  virtual bool hasNoImage() const { return false; }
  /// Whether this key belongs to the view when it has the focus, so that no shortcut takes it.
  virtual bool handleKey(QKeyEvent* event);
  virtual bool claimsKey(const QKeyEvent& event) const;

  /// Asks for the map again, at once where it is seen, else when it is next painted; rebuilds
  /// images only if it differs.
  void refreshMap();
  /// Outlines the patch that the view looks from; nothing for prefix tokens.
  void drawTokenCursor(QPainter& painter);
  /// The model's token in the middle of a patch of the shown grid.
  int tokenOf(int patch) const;
  Document* document() const { return m_document; }
  int hoveredPatch() const { return m_hovered; }  ///< −1: none

  bool event(QEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void showEvent(QShowEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void keyReleaseEvent(QKeyEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  void imageChanged();
  void regionChanged();
  void sceneChanged();
  double fittedScale() const;
  double scale() const;  ///< widget units per image pixel
  void keepInSight();
  void takeMap();
  ImageScene scene() const;
  void buildScene();
  void paintOverScene(QPainter& painter);
  void setHovered(int patch);
  QPointF shownCenter() const;  ///< the image point in the middle

  Document* m_document;
  AnalysisBridge* m_bridge;
  ImageViewInput* m_input;
  QPointer<QWidget> m_cover;
  QRectF m_region;  ///< in image pixels

  bool m_fitted = true;
  double m_scale = 1;  ///< while not fitted
  QPointF m_center;    ///< the image point in the middle, while not fitted

  std::optional<MapOverlay> m_map;
  bool m_mapDirty = true;
  QImage m_mapImage;
  int m_mapBuilds = 0;
  double m_strength = -1;
  bool m_plain = false;
  bool m_showOverlay = true;

  QImage m_scene;      ///< scene() as painted, at the screen's resolution
  QRectF m_sceneArea;  ///< the image's then: a longer legend leaves it less
  bool m_sceneDirty = true;

  int m_hovered = -1;
  QString m_name;  ///< of the image that is shown
  bool m_showStale = false;
  QTimer m_staleTimer;  ///< quick results are not worth a note
};

}  // namespace headlight
