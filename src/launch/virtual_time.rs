//! The wish for virtual time.

use ftmpi_machine::network::NetworkModel;

/// What computing costs in virtual time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Compute {
    /// The processor time that it takes here, by the factor of the machine.
    Measured,
    /// What the program declares.
    #[default]
    Declared,
    /// Nothing.
    None,
}

impl Compute {
    const ALL: [Compute; 3] = [Compute::Measured, Compute::Declared, Compute::None];

    fn name(self) -> &'static str {
        match self {
            Compute::Measured => "measured",
            Compute::Declared => "declared",
            Compute::None => "none",
        }
    }

    /// The model of this name.
    pub fn named(name: &str) -> Option<Compute> {
        Compute::ALL.into_iter().find(|compute| compute.name() == name)
    }
}

/// How time passes in a job whose time is virtual.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct VirtualTime {
    pub compute: Compute,
    pub network: NetworkModel,
}

impl VirtualTime {
    /// As [`VirtualTime::decode`] reads it.
    pub fn encode(self) -> String {
        format!("{} {}", self.compute.name(), self.network.name())
    }

    pub fn decode(text: &str) -> Option<VirtualTime> {
        let (compute, network) = text.split_once(' ')?;
        Some(VirtualTime {
            compute: Compute::named(compute)?,
            network: NetworkModel::named(network)?,
        })
    }
}
