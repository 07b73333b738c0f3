// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/forms/ModelForm.h"

#include <QApplication>
#include <QVBoxLayout>

#include <algorithm>

#include "core/models/Registry.h"
#include "ui/forms/DerivedFields.h"
#include "ui/forms/ParameterForm.h"

namespace headlight {
namespace {

const char* const kNested[] = {"attention", "layout"};
constexpr const char* kLastChoice = "mechanism";  ///< behind the name and the backbone

/// {"attention": {"window": 7}} as {"attention.window": 7}, so that one form can show it.
Json flattened(const Json& model) {
  Json flat = Json::object();
  for (const auto& [key, value] : model.items()) {
    if (!value.is_object()) {
      flat[key] = value;
      continue;
    }
    for (const auto& [option, given] : value.items())
      flat[key + "." + option] = given;
  }
  return flat;
}

Json nested(const Json& flat) {
  Json model = Json::object();
  for (const auto& [key, value] : flat.items()) {
    const auto dot = key.find('.');
    if (dot == std::string::npos)
      model[key] = value;
    else
      model[key.substr(0, dot)][key.substr(dot + 1)] = value;
  }
  return model;
}

/// Those of one variant, named for the section that keeps them.
ParameterTable variantOptions(const char* section, const Variant* variant) {
  ParameterTable options;
  if (!variant || !variant->options) return options;
  for (Parameter option : *variant->options) {
    option.name = std::string(section) + "." + option.name;
    options.push_back(std::move(option));
  }
  return options;
}

/// The choices, then what belongs to them alone, then what all models share.
ParameterTable makeModelTable(const std::string& backbone, const std::string& mechanism) {
  ParameterTable table = modelTable();
  auto shared = std::find_if(table.begin(), table.end(), [](const Parameter& parameter) {
    return parameter.name == kLastChoice;
  });
  if (shared != table.end()) ++shared;
  ParameterTable own = variantOptions(kNested[0], modelCatalog().mechanism(mechanism));
  const ParameterTable layout = variantOptions(kNested[1], modelCatalog().backbone(backbone));
  own.insert(own.end(), layout.begin(), layout.end());
  table.insert(shared, own.begin(), own.end());
  return table;
}

/// The parameters that have the only value which this backbone can have of them.
std::vector<std::string> settledBy(const std::string& backbone, const Json& flat) {
  std::vector<std::string> settled;
  const Variant* variant = modelCatalog().backbone(backbone);
  if (!variant) return settled;
  for (const FixedParameter& fixed : variant->fixed) {
    if (flat.value(fixed.name, Json()) != fixed.value) continue;
    settled.push_back(fixed.name);
    if (fixed.name != "depths") continue;
    // Without stages nothing is said of each of them.
    for (const char* ofStages : {"stage_widths", "stage_heads"})
      if (flat.value(ofStages, Json()) == Json::array()) settled.emplace_back(ofStages);
  }
  return settled;
}

}  // namespace

ModelForm::ModelForm(QWidget* parent) : QWidget(parent), m_layout(new QVBoxLayout(this)) {
  m_layout->setContentsMargins(0, 0, 0, 0);
  setModel(ModelConfig());
}

void ModelForm::rebuild(const std::string& backbone, const std::string& mechanism) {
  if (m_form && backbone == m_backbone && mechanism == m_mechanism) return;
  m_backbone = backbone;
  m_mechanism = mechanism;
  QString focused;
  if (m_form && m_form->isAncestorOf(QApplication::focusWidget()))
    focused = QApplication::focusWidget()->objectName().section(QLatin1Char('.'), 1);
  if (m_form) {
    // Deleted later, for the change comes from one of its fields: nobody should find it meanwhile,
    // and its fields refer to its table.
    connect(m_form, &QObject::destroyed, [kept = m_table] {});
    m_form->hide();
    m_form->setParent(nullptr);
    m_form->deleteLater();
  }
  m_table = std::make_shared<const ParameterTable>(makeModelTable(backbone, mechanism));
  m_form = new ParameterForm(*m_table, QStringLiteral("model"), this);
  m_layout->addWidget(m_form);
  m_form->show();  // at once: the layout would do it later, and what is hidden takes no focus
  connect(m_form, &ParameterForm::changed, this, &ModelForm::onChanged);
  if (!focused.isEmpty()) m_form->focusField(focused);
}

void ModelForm::showFlat(const Json& model) {
  m_form->setDefaults(m_defaults);
  m_form->setValues(model);
  m_form->hideFields(settledBy(m_backbone, model));
  m_form->setReadOnlyFields(
      derivedFields(m_backbone),
      tr("Follows from the options of the backbone %1.").arg(QString::fromStdString(m_backbone)));
}

/// What follows from the options as they are now.
void ModelForm::showDerived(const Json& values) {
  const Json model = nested(values);
  const Json derived = derivedValues(m_backbone, model.value("layout", Json::object()));
  for (const auto& [name, value] : derived.items())
    if (values.value(name, Json()) != value) m_form->setValue(QString::fromStdString(name), value);
}

void ModelForm::setModel(const ModelConfig& model) {
  const ModelConfig shown = completed(model, modelCatalog());
  rebuild(shown.backbone, shown.mechanism);
  m_defaults = flattened(modelToJson(shown));
  m_defaults["init"] = shown.init;  // left out of JSON while it is the default
  m_before = Json::object();
  showFlat(m_defaults);
}

void ModelForm::onChanged() {
  const Json values = m_form->values();
  const auto name = [&](const char* key) { return values[key].get<std::string>(); };
  if (name("backbone") != m_backbone || name("mechanism") != m_mechanism) {
    Json kept = Json::object();
    for (const auto& [key, value] : values.items()) {
      const bool ofMechanism = key.starts_with("attention."),
                 ofBackbone = key.starts_with("layout.");
      if ((ofMechanism && name("mechanism") != m_mechanism) ||
          (ofBackbone && name("backbone") != m_backbone))
        continue;  // of the one that was left
      kept[key] = value;
    }
    if (name("backbone") != m_backbone)
      changeBackbone(kept, m_before, m_backbone, name("backbone"));
    rebuild(name("backbone"), name("mechanism"));
    showFlat(kept);
  } else {
    showDerived(values);
  }
  Q_EMIT changed();
}

void ModelForm::showError(const Error& error) {
  const QString where = QString::fromStdString(error.where).section(QLatin1Char('.'), 1);
  m_form->setError(where, QString::fromStdString(error.message));
}

Result<ModelConfig> ModelForm::model() {
  m_form->clearErrors();
  if (const QString problem = m_form->firstError(); !problem.isEmpty())
    return Error{ErrorCode::InvalidConfig, problem.toStdString(), "model"};
  auto read = modelFromJson(nested(m_form->values()), modelCatalog());
  if (read) return read;
  showError(read.error());
  const QString shown = m_form->firstError();
  if (shown.isEmpty()) return read;
  return Error{ErrorCode::InvalidConfig, shown.toStdString(), read.error().where};
}

}  // namespace headlight
