// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Queries and keys of one head over many images, together in two dimensions: a point is a token. A
// rectangle selects points, lists their images and selects them in the gallery; a click opens the
// image with that token.

#include <memory>
#include <vector>

#include "core/workbench/pairs/QueryKeyFigure.h"
#include "ui/figures/AveragesDialog.h"

class QCheckBox;
class QComboBox;
class QLabel;
class QSpinBox;

namespace headlight {

class ParameterForm;
class QueryKeyPlot;
class ThumbnailList;

/// A map, and the images that it is of.
struct MeasuredQueryKeys {
  std::shared_ptr<const QueryKeyMap> map;
  ImageSource feed;
};

class QueryKeyDialog : public AveragesDialog {
  Q_OBJECT
 public:
  QueryKeyDialog(const AveragesParts& parts, QWidget* parent = nullptr);

  ParameterForm* form() const { return m_form; }
  QueryKeyPlot* plot() const { return m_plot; }
  ThumbnailList* selectedImages() const { return m_list; }
  std::shared_ptr<const QueryKeyMap> map() const { return m_measured.map; }
  void chooseColoring(PointColoring coloring);
  /// Opens the image of a point, with its token as the query.
  void openPoint(int point);
  void saveAs(const QString& path);

 private:
  void measure() override;
  void save() override;
  bool hasResult() const override { return m_measured.map != nullptr; }
  void forget() override;

  void makeFields();
  QWidget* makeSide();
  QWidget* makeMap();
  QueryKeyOptions options() const;
  PointColoring coloring() const;
  void draw();
  void describe(int point);
  void listSelected();
  void selectInGallery(const std::vector<int>& selected);
  QString imageName(int image) const;
  QString imagePath(int image) const;
  void showOpened(const SourceImage& source, int point);

  ParameterForm* m_form;
  QSpinBox* m_seed;
  QComboBox* m_colors;
  QCheckBox* m_patches;
  QueryKeyPlot* m_plot;
  SelectInGallery m_select;
  QLabel *m_preview, *m_place, *m_listed, *m_caption;
  ThumbnailList* m_list;
  MeasuredQueryKeys m_measured;
  ImageSelection m_chosen;  ///< the images of the map that is shown
  QString m_shownName;      ///< where they are the open one
  bool m_brushed = false;   ///< points are selected, and their images in the gallery
};

}  // namespace headlight
