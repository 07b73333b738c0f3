// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Every parameter of a model in one form: the chosen backbone and mechanism first, directly below
// them the options of that mechanism ("attention.…") and that backbone ("layout.…"), which come and
// go with the choice, then the shape that all share. What the backbone leaves no choice of is not
// shown, unless it has another value; what follows from its options is shown and cannot be changed.

#include <QWidget>

#include <memory>
#include <string>

#include "core/config/ModelConfig.h"

class QVBoxLayout;

namespace headlight {

class ParameterForm;

class ModelForm : public QWidget {
  Q_OBJECT
 public:
  explicit ModelForm(QWidget* parent = nullptr);

  /// Shows a model; its values are what counts as unchanged.
  void setModel(const ModelConfig& model);
  /// The form's values, checked; an error is shown beside its field too.
  Result<ModelConfig> model();
  /// Beside the field that it names, until something is edited.
  void showError(const Error& error);

 Q_SIGNALS:
  void changed();  ///< a value, by the person

 private:
  void rebuild(const std::string& backbone, const std::string& mechanism);
  void onChanged();
  void showFlat(const Json& model);
  void showDerived(const Json& values);

  QVBoxLayout* m_layout;
  std::shared_ptr<const ParameterTable> m_table;
  ParameterForm* m_form = nullptr;
  Json m_defaults = Json::object();  ///< flat, of the model shown last
  Json m_before = Json::object();    ///< what the chosen backbone replaced
  std::string m_backbone, m_mechanism;
};

}  // namespace headlight
