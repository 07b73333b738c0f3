#pragma once
// On which pictures masks and heads are measured: a data set and how many of its validation split.

#include <QDialog>

#include <optional>

#include "core/workbench/PictureSample.h"

class QCheckBox;
class QComboBox;
class QSpinBox;

namespace headlight {

class PathRow;

class EffectDataDialog : public QDialog {
  Q_OBJECT
 public:
  /// `now`: what is measured on; nothing: nothing is. `proposed`: what its fields show then.
  EffectDataDialog(const std::optional<PictureSample>& now, const PictureSample& proposed,
                   QWidget* parent = nullptr);

  /// Nothing: measure nothing.
  std::optional<PictureSample> sample() const;

 private:
  void browse();
  void refresh();

  PictureSample m_base;
  QCheckBox* m_measure;
  QComboBox* m_kind;
  PathRow* m_path;
  QSpinBox* m_pictures;
};

}  // namespace headlight
