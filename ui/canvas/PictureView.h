// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A picture with a map over it: fitted or zoomed, the region outside the model's sight dimmed, a
// legend below. What the map is and what a click means is for subclasses to say.

#include <QImage>
#include <QTimer>
#include <QWidget>

#include <optional>

#include "ui/canvas/ImagePainting.h"
#include "ui/canvas/PicturePainting.h"
#include "ui/document/Document.h"

namespace headlight {

class AnalysisBridge;

/// Keys: + and − zoom, 0 fits, 1 is 100 % (one picture pixel a screen pixel). The wheel zooms about
/// the pointer; the middle button, or the left one with space held, drags the picture.
class PictureView : public QWidget {
  Q_OBJECT
 public:
  PictureView(Document* document, QWidget* parent);

  /// Screen pixels (device's) per picture pixel.
  double zoom() const;
  bool isFitted() const { return m_fitted; }
  void fit();
  /// Keeps the picture point under `about` (widget coordinates) where it is.
  void setZoom(double zoom, const QPointF& about);

  /// In widget coordinates; empty without a picture and a model.
  QRectF regionRect() const;
  QRectF patchRect(int patch) const;
  /// The patch under a point; −1 outside the region.
  int patchAt(const QPointF& position) const;
  QPointF toWidget(const QPointF& imagePoint) const;
  QPointF toImage(const QPointF& position) const;

  /// How often the coloured map was built anew: hovering and zooming must not.
  int mapBuilds() const { return m_mapBuilds; }
  const std::optional<MapOverlay>& shownMap() const { return m_map; }
  Grid shownGrid() const;  ///< of the map, else of the model

  /// Marks this patch, with its value, as if the pointer were over it; −1: none. What the pointer
  /// does itself is told by pointed().
  void showPointed(int patch);
  int pointedPatch() const { return m_hovered; }

  QSize sizeHint() const override { return {560, 420}; }
  QSize minimumSizeHint() const override { return {160, 120}; }

 Q_SIGNALS:
  void pointed(int patch);  ///< the pointer is over another patch; −1: over none

 protected:
  virtual std::optional<MapOverlay> currentMap() const = 0;
  virtual Legend currentLegend() const = 0;
  /// The note of that legend, whatever else it says: the legend's height depends on it.
  virtual QString legendNote() const { return {}; }
  /// Shown over the picture's middle instead of silence; may be empty.
  virtual QString hint() const;
  /// Painted over the picture, below the legend.
  virtual void paintMarks(QPainter&) {}
  virtual QString hoverText(int patch) const;
  /// After every look at the map, whether it changed or not.
  virtual void mapTaken() {}
  virtual void patchPressed(int /*patch*/) {}
  /// The pointer is over another patch; −1: over none.
  virtual void patchHovered(int /*patch*/) {}
  /// Whether the map says something of every picture alike, so that none belongs under it.
  virtual bool hasNoImage() const { return false; }
  /// Whether this key belongs to the view when it has the focus, so that no shortcut takes it.
  virtual bool handleKey(QKeyEvent* event);
  virtual bool claimsKey(const QKeyEvent& event) const;

  /// Asks for the map again, at once where it is seen, else when it is next painted; rebuilds
  /// pictures only if it differs.
  void refreshMap();
  /// Outlines the patch that the view looks from; nothing for prefix tokens.
  void drawTokenCursor(QPainter& painter);
  /// The model's token in the middle of a patch of the shown grid.
  int tokenOf(int patch) const;
  Document* document() const { return m_document; }
  QRectF pictureArea() const;                     ///< the widget without the legend
  int hoveredPatch() const { return m_hovered; }  ///< −1: none

  bool event(QEvent* event) override;
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
  void pictureChanged();
  void regionChanged();
  void sceneChanged();
  double fittedScale() const;
  double scale() const;  ///< widget units per picture pixel
  void keepInSight();
  void takeMap();
  PictureScene scene() const;
  void buildScene();
  void paintOverScene(QPainter& painter);
  void setHovered(int patch);
  bool startsPan(const QMouseEvent& event) const;
  void pick(const QPointF& position);
  QPointF shownCentre() const;  ///< the picture point in the middle

  Document* m_document;
  AnalysisBridge* m_bridge;
  QRectF m_region;  ///< in picture pixels

  bool m_fitted = true;
  double m_scale = 1;  ///< while not fitted
  QPointF m_centre;    ///< the picture point in the middle, while not fitted

  std::optional<MapOverlay> m_map;
  bool m_mapDirty = true;
  QImage m_mapImage;
  int m_mapBuilds = 0;
  double m_strength = -1;
  bool m_plain = false;
  bool m_showOverlay = true;

  QImage m_scene;      ///< scene() as painted, at the screen's resolution
  QRectF m_sceneArea;  ///< the picture's then: a longer legend leaves it less
  bool m_sceneDirty = true;

  int m_hovered = -1;
  QString m_name;  ///< of the picture that is shown
  bool m_panning = false;
  bool m_picking = false;
  bool m_spaceHeld = false;
  bool m_showStale = false;
  QTimer m_staleTimer;  ///< quick looks are not worth a note
  QPointF m_panFrom;
};

}  // namespace headlight
