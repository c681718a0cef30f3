//! The KFD and AQL binary interface of the Linux amdgpu driver.
